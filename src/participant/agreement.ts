/** The participant's side of what is agreed on before the first round: what it brings, and whether what was settled fits its targets. */
import { strangerTo } from '../data/agreed-classes.ts';
import { classKey } from '../data/labels.ts';
import { listed, shown } from '../data/number.ts';
import { type Agreement, areLabelsAsked, type Measured, measuredBy } from '../protocol/agreement.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Moments } from '../protocol/messages.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { broughtColumns, columnsMisfit, encodedByOthers } from './columns.ts';
import type { ParticipantState, RefusalCode } from './state.ts';

/** What is asked of us; undefined: nothing, or nothing in the clear. */
export function broughtMoments(state: ParticipantState): Moments | undefined {
  const { profile, stored } = state;
  const { settings, agreement } = stored;
  if (!settings) return undefined;
  // Sums of the rows are secret then; names of classes are not.
  const measured = settings.secure ? NOTHING : measuredBy(settings);
  const columns = broughtColumns(profile, settings);
  const isCounted = columns && !settings.secure;
  const rows = measuredRows(state, settings, isCounted ? { ...measured, features: true } : measured);
  const asked = areLabelsAsked(settings, agreement?.classes);
  if (!asked && !columns && rows.count === 0) return undefined;
  const { labels = [], positive } = asked ? profile.targets : { positive: undefined };
  return {
    kind: 'moments',
    ...rows,
    labels,
    positive: positive === undefined ? undefined : classKey(positive),
    ...(columns && { columns }),
    ...(settings.columns === 'union' && { names: profile.names }),
  };
}

const NOTHING = { features: false, target: false };

/** Moments of what is asked for, and nothing else. */
export function measuredRows(
  { profile, stored }: Pick<ParticipantState, 'profile' | 'stored'>,
  settings: FederationSettings,
  { features, target }: Measured,
): Pick<Moments, 'count' | 'mean' | 'm2' | 'target'> {
  const nothing = new Float64Array(0);
  const { targets } = profile;
  const { count, mean, m2 } = encodedByOthers(profile, settings, stored.agreement) ?? profile.moments;
  return {
    count: features || target ? count : 0,
    mean: features ? mean : nothing,
    m2: features ? m2 : nothing,
    target: target && typeof targets.values !== 'string' ? targets.values : undefined,
  };
}

/** In place of labels that are too many, or too long, to be classes. */
const MANY = 'too many different targets';

interface Misfit {
  readonly code: RefusalCode;
  readonly message: string;
}

/** Why we cannot take part with these targets: asked before anything is sent, and again when the agreement is there. */
export function misfitOf(
  { profile }: ParticipantState,
  settings: FederationSettings,
  agreement: Agreement | undefined,
): Misfit | undefined {
  if (profile.reportsTests && settings.dp) {
    const message = `participant "${profile.id}": expected a federation without differential privacy, under which nothing of tests is sent, got one with it; join without --report-tests`;
    return { code: 'REPORT_NOT_PRIVATE', message };
  }
  const columns = columnsMisfit(profile, settings, agreement);
  if (columns) return { code: columns.code, message: `participant "${profile.id}": ${columns.message}` };
  const { objective } = settings;
  const { labels = [MANY], positive: given, values } = profile.targets;
  if (objective === 'regression')
    return typeof values === 'string' ? { code: 'TARGET_NOT_A_NUMBER', message: values } : undefined;
  const misfit = (code: RefusalCode, expected: string, got: string): Misfit => ({
    code,
    message: `participant "${profile.id}": expected ${expected}, got ${got}`,
  });
  const classes = agreement?.classes;
  if (!classes) {
    const isFine = labels[0] !== MANY || given !== undefined;
    return isFine
      ? undefined
      : misfit('POSITIVE_NEEDED', `at most ${DEFAULT_LIMITS.maxLabels} classes, or --positive`, MANY);
  }
  if (given !== undefined && classKey(given) !== classes.positive) {
    const { positive } = classes;
    const expected = positive === undefined ? 'no --positive' : `--positive ${shown(positive)}`;
    return misfit('WRONG_CLASSES', `${expected}, as in the federation`, `--positive ${shown(given)}`);
  }
  const stranger = strangerTo(classes, labels);
  return stranger === undefined
    ? undefined
    : misfit(
        'WRONG_CLASSES',
        `the federation's classes ${listed(classes.labels.map(shown))}`,
        shown(stranger),
      );
}
