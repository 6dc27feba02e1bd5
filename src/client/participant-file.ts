/** What the state of a participant holds beside that of its machine, and whether it fits who wants to go on with it. */
import { inputError } from '../base/errors.ts';
import { mappingOf } from '../data/agreed-classes.ts';
import { declaredCodes } from '../data/declared-levels.ts';
import { featureNames, namedEncoding } from '../data/encoding.ts';
import type { CategoricalRule, MissingRule } from '../data/table.ts';
import type { TextFormat } from '../data/text-format.ts';
import { NOTHING_STORED, type Stored } from '../participant/state.ts';
import { vectorLength } from '../protocol/agreement.ts';
import { seededMap } from '../settings/feature-map.ts';
import { personalCost } from '../settings/wire.ts';
import type { Sigmoids } from '../solver/calibration.ts';
import { fixedSigmoids } from '../solver/fixed-sigmoids.ts';
import type { Model } from '../solver/model.ts';
import type { KnownRows } from './known-rows.ts';
import type { UnlearnedRows, Unlearning } from './unlearned-rows.ts';

/** Which columns of the participant's data mean what, and whose rows were its own: for predicting with other files. */
export interface OwnColumns extends TextFormat {
  readonly task: string;
  readonly label: string;
  readonly drop: readonly string[];
  /** Value of the participant column; undefined: all rows. */
  readonly own: string | undefined;
  /** As of a table; absent: as usual. */
  readonly weight?: string | undefined;
  readonly missing?: MissingRule | undefined;
  readonly categorical?: CategoricalRule | undefined;
}

export interface FederationName {
  readonly id: string;
  readonly name: string;
}

export interface ParticipantFile {
  readonly participant: string;
  /** Undefined before the first contact. */
  readonly federation: FederationName | undefined;
  readonly features: readonly string[];
  /** Which of them are text; absent: none. */
  readonly texts?: readonly string[] | undefined;
  /** `schemaDigest` of the features and their kinds. */
  readonly schema: string;
  readonly columns: OwnColumns | undefined;
  /** Digest of the training rows: the duals belong to them. */
  readonly rows: string;
  /** By which rows are recognised; undefined in states of earlier versions. */
  readonly known?: KnownRows | undefined;
  /** How decisions of the model of that round become probabilities; undefined: that was not asked for. */
  readonly calibration?: { readonly round: number; readonly sigmoids: Sigmoids } | undefined;
  /** Keys of rows that were to be unlearned: they stay out, whatever the data have. */
  readonly excluded?: Float64Array | undefined;
  /** Rows that are gone, and not yet from a training that has come to rest; and those that are (unlearning.ts). */
  readonly unlearning?: readonly Unlearning[] | undefined;
  readonly unlearned?: readonly UnlearnedRows[] | undefined;
  /** For secure aggregation; nobody else knows it. */
  readonly secret: Uint8Array;
  readonly stored: Stored;
}

/** What a participant that begins puts into its store. */
export type NewParticipant = Omit<
  ParticipantFile,
  'federation' | 'secret' | 'stored' | 'known' | 'calibration' | 'excluded' | 'unlearning' | 'unlearned'
>;

/** The state of a participant that begins; `secret`: 32 bytes that nobody else can know. */
export function newParticipantFile(newcomer: NewParticipant, secret: Uint8Array): ParticipantFile {
  return { ...newcomer, federation: undefined, secret, stored: NOTHING_STORED };
}

/** What a process brings that opens the store. */
interface Joiner extends Omit<NewParticipant, 'columns' | 'rows'> {
  readonly secure: boolean;
}

/** Refuses to go on with a state that is of somebody or something else. */
export function checkSame(place: string, file: ParticipantFile, joiner: Joiner): void {
  if (file.participant !== joiner.participant) {
    throw inputError(
      'OTHER_PARTICIPANT',
      `${place}: expected the state of participant "${joiner.participant}", got that of "${file.participant}"; give another --state, or --name ${file.participant}`,
    );
  }
  if (file.schema !== joiner.schema) {
    const [then, now] = [file.features.length, joiner.features.length];
    const which = then === now ? `other names or another order of the ${then}` : `${then}, got ${now}`;
    throw inputError(
      'OTHER_COLUMNS',
      `${place}: expected the same features as when participant "${file.participant}" joined: ${which}; give the same data and --drop, or another --state`,
    );
  }
  const { settings } = file.stored;
  if (settings && !settings.secure !== !joiner.secure) {
    const [had, got] = settings.secure ? ['with', 'without'] : ['without', 'with'];
    throw inputError(
      'NOT_SECURE',
      `${place}: expected a run ${had} --secure, as in the federation, got one ${got}`,
    );
  }
}

/** Which value of the participant column marks the participant's own rows; without one, all rows are. */
function ownValue({ participant, columns }: ParticipantFile): { own?: string } {
  if (!columns) return { own: participant };
  return columns.own === undefined ? {} : { own: columns.own };
}

/** The model that a participant can predict with, from its state alone; undefined before the first round. */
export function modelOf(file: ParticipantFile): Model | undefined {
  const { participant, columns, stored } = file;
  const sigmoids = currentSigmoids(file);
  const { settings, scaling, agreement, model } = stored;
  if (!settings || !scaling || !agreement || !model) return undefined;
  const { classes, target } = agreement;
  const { method, objective, loss, bias, c1, c2, epsilon, quantile, classWeight, seed, levels } = settings;
  const length = vectorLength(settings, agreement);
  // Whoever left before training began was sent `finish` with an empty w.
  if (model.w.length !== length) return undefined;
  const names = agreement.columns ?? file.features;
  const codes = levels ? declaredCodes(names, levels) : agreement.encoding;
  const encoding = codes && {
    ...namedEncoding(names, codes),
    ...(agreement.columns && { absent: 'missing' as const }),
  };
  const joined = { participant, ...ownValue(file) };
  const inverse = 1 / personalCost(settings);
  const v = model.u ? model.u.map((value) => value * inverse) : new Float64Array(length);
  return {
    method,
    objective,
    features: encoding ? featureNames(encoding) : names,
    ...(encoding && { encoding }),
    bias,
    scaling,
    map: seededMap(settings.map, seed),
    target,
    classes: classes && mappingOf(classes),
    w: model.w,
    personal: new Map([[participant, v]]),
    // The w that MOCHA sends is the participant's own.
    servesNewcomers: method !== 'mocha',
    options: {
      ...{ c1, c2, epsilon, quantile, loss, classWeight },
      probabilities: sigmoids !== undefined,
      round: model.round,
      joined,
      ...(columns && { columns }),
    },
    seed,
    certificate: undefined,
    calibration: sigmoids && {
      participants: new Map([[participant, sigmoids]]),
      shared: fixedSigmoids(sigmoids.length),
    },
  };
}

/** Of a model that has been trained further they say nothing. */
function currentSigmoids({ calibration, stored }: ParticipantFile): Sigmoids | undefined {
  return calibration?.round === stored.model?.round ? calibration?.sigmoids : undefined;
}
