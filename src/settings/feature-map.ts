/**
 * The features that a model is linear in: those of the data, or random ones of them (math/feature-map.ts). Who knows the
 * settings and the seed knows the map: nothing else of it is ever sent or stored.
 */
import type { ValueOf } from './kind.ts';
import { accepted, number, whole } from './kinds.ts';
import { variants } from './objects.ts';

const MOST_COUNT = 65_536;
const EVEN = `an even number of features from 2 to ${MOST_COUNT}`;

const RFF = {
  count: whole(2, MOST_COUNT)
    .check((count) => count % 2 === 0, EVEN)
    .about('number of random features'),
  gamma: number({ above: 0 })
    .default(1)
    .about('of the kernel exp(-gamma |x - y|^2) that they approximate; x and y are scaled rows'),
};

const map = variants('kind', { rff: RFF });

/** As a model has it. */
export const storedMap = variants('kind', { rff: { ...RFF, gamma: RFF.gamma.needed(), seed: number() } });

/** As participants are sent it. */
export const sentMap = map.optional('none').about('random Fourier features in place of those of the data');

export const features = map
  .short<string>(fromText, {
    expected: `none, rff:<count> or rff:<count>:<gamma>, with ${EVEN} and a gamma above 0`,
    schema: { type: 'string' },
  })
  .optional('none')
  .flag('--features <map>')
  .about('random Fourier features instead of those of the data: rff:<count>, rff:<count>:<gamma>');

export type FeatureMapSettings = ValueOf<typeof map>;

/** All that there is to know about a map. */
export type FeatureMap = ValueOf<typeof storedMap>;

/** rff:512:0.5. What is none of these texts comes back as it is, to be refused as a whole. */
function fromText(given: unknown): unknown {
  if (given === 'none') return undefined;
  const [, count, gamma = '1'] = /^rff:(\d+)(?::([\d.eE+-]+))?$/.exec(String(given)) ?? [];
  const full = { kind: 'rff', count: Number(count), gamma: Number(gamma) };
  return typeof given === 'string' && accepted(map, full) ? full : given;
}

/** The other way round. */
export function textOfMap(map: FeatureMapSettings | undefined): string {
  return map ? `${map.kind}:${map.count}${map.gamma === 1 ? '' : `:${map.gamma}`}` : 'none';
}

/** The map of a training or a federation with this seed; undefined: there is none. */
export function seededMap(settings: FeatureMapSettings | undefined, seed: number): FeatureMap | undefined {
  return settings && { ...settings, seed };
}

/** Frequencies of a map take count / 2 x features numbers; more than these (256 MiB) are refused. */
const MOST_FREQUENCIES = 2 ** 26;

/** How many features a map can take. */
export function mostMappedFeatures(map: FeatureMapSettings | undefined): number {
  return map ? Math.floor((2 * MOST_FREQUENCIES) / map.count) : Infinity;
}

/** Of the settings of a federation, or of rows in this process. */
export interface RowShape {
  /** How many there are in the data. */
  readonly features: number;
  readonly map?: FeatureMapSettings | undefined;
  readonly bias: boolean;
}

/** Columns of a row as it is solved: its features, or what they are mapped to, and the bias. */
export function columnsOf({ features, map, bias }: RowShape): number {
  return (map?.count ?? features) + (bias ? 1 : 0);
}
