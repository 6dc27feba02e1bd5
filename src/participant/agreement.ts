/** The participant's side of what is agreed on before the first round: what it brings, and whether what was settled fits its targets. */
import { classesText, declaredClasses, strangerTo, usualClasses } from '../data/agreed-classes.ts';
import { classKey } from '../data/labels.ts';
import { listed, shown } from '../data/number.ts';
import { type Agreement, askedBy } from '../protocol/agreement.ts';
import type { Moments, Welcome } from '../protocol/messages.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { ParticipantState, Profile, RefusalCode } from './state.ts';

/** What is asked of us; undefined: nothing, or nothing in the clear. */
export function broughtMoments({ profile, stored }: ParticipantState): Moments | undefined {
  const { settings } = stored;
  if (!settings) return undefined;
  const { labels, ...rows } = askedBy(settings);
  // Sums of the rows are secret then; names of classes are not.
  const inTheClear = settings.secure ? { features: false, target: false } : rows;
  if (!labels && !inTheClear.features && !inTheClear.target) return undefined;
  const { labels: own = [], positive } = profile.targets;
  return {
    kind: 'moments',
    ...measuredRows(profile, inTheClear),
    labels: labels ? own : [],
    positive: labels && positive !== undefined ? classKey(positive) : undefined,
  };
}

/** Moments of what is asked for, and nothing else. */
export function measuredRows(
  { moments, targets }: Profile,
  { features, target }: { readonly features: boolean; readonly target: boolean },
): Pick<Moments, 'count' | 'mean' | 'm2' | 'target'> {
  const nothing = new Float64Array(0);
  const { count, mean, m2 } = moments;
  return {
    count: features || target ? count : 0,
    mean: features ? mean : nothing,
    m2: features ? m2 : nothing,
    target: target && typeof targets.values !== 'string' ? targets.values : undefined,
  };
}

/** As it was settled. A federation that began with an earlier version has none: as we had it then, or by the usual labels. */
export function settledAgreement(
  { stored, profile }: ParticipantState,
  { settings, scaling, agreement }: Welcome,
): Agreement | undefined {
  if (agreement || !scaling) return agreement;
  if (stored.agreement) return stored.agreement;
  const isRegression = settings.objective === 'regression';
  return {
    classes: isRegression ? undefined : usualClasses(profile.targets.labels ?? ['']),
    target: undefined,
  };
}

interface Misfit {
  readonly code: RefusalCode;
  readonly message: string;
}

/** Why we cannot take part with these targets: before anything is sent, and again when the agreement is there. */
export function misfitOf(
  { profile }: ParticipantState,
  settings: FederationSettings,
  agreement: Agreement | undefined,
): Misfit | undefined {
  const { id, targets } = profile;
  if (settings.objective === 'regression')
    return typeof targets.values === 'string'
      ? { code: 'TARGET_NOT_A_NUMBER', message: targets.values }
      : undefined;
  const who = `participant "${id}"`;
  const { labels } = targets;
  const positive = targets.positive === undefined ? undefined : classKey(targets.positive);
  const { classes = declaredClasses(settings) } = agreement ?? {};
  if (!classes && agreement) {
    const message = `${who}: expected a federation that has agreed on classes, got one of an earlier version, where only labels -1, 0 and 1 have a meaning to newcomers`;
    return { code: 'WRONG_CLASSES', message };
  }
  if (!classes) {
    if (labels || positive !== undefined) return undefined;
    return {
      code: 'POSITIVE_NEEDED',
      message: `${who}: expected two classes, or a choice of the positive one (--positive), got too many different targets; or is this a regression?`,
    };
  }
  const wrong = (message: string): Misfit => ({ code: 'WRONG_CLASSES', message: `${who}: ${message}` });
  if (positive !== undefined && positive !== classes.positive)
    return wrong(
      `expected ${shown(classes.positive)} as the positive class, as the federation has it, got ${shown(positive)} (--positive)`,
    );
  const stranger = strangerTo(classes, labels ?? []);
  if (stranger === undefined && (labels || classes.labels.length === 1)) return undefined;
  const got = stranger === undefined ? 'too many different targets' : shown(stranger);
  return wrong(
    `expected the classes of the federation, ${listed(classes.labels.map(shown))} (${classesText(classes)}), got ${got}`,
  );
}
