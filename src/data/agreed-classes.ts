/**
 * Classes as the participants of a federation have agreed on them: nobody sees the labels of all rows, and yet a label must mean the same
 * to everybody. Labels are canonical (`classKey`): "1", "1.0" and "+1" are one.
 */
import { type ClassMapping, classKey } from './labels.ts';
import { listed, shown } from './number.ts';
import { naturallySorted } from './participants.ts';

export interface AgreedClasses {
  /** In natural order, and there are no others; a single one: it is against the rest, whatever that is called. */
  readonly labels: readonly string[];
  /** The one that is +1; undefined: each of three or more has a head of its own. */
  readonly positive: string | undefined;
}

/** 1 against -1 or 0: where some write the one and some the other, and where nobody has agreed on any, in runs that an earlier version began. */
export const USUAL_CLASSES: AgreedClasses = { labels: ['-1', '0', '1'], positive: '1' };

/** Of targets as they are written: each once, sorted, so that nobody sees which came first. */
export function labelsOf(targets: Iterable<string>): string[] {
  return [...new Set(Array.from(new Set(targets), classKey))].sort();
}

/**
 * The classes that follow from the labels of each participant, two at least in all, and from a positive one that is known: two are in natural
 * order, the second is positive; of more, a known one is against the rest, or each has a head.
 */
export function chosenClasses(
  brought: readonly (readonly string[])[],
  positive: string | undefined,
): AgreedClasses {
  const labels = naturallySorted(new Set(brought.flat()));
  if (labels.length === 2) return { labels, positive: positive ?? labels[1] };
  if (positive !== undefined) return { labels: [positive], positive };
  return areTwoConventions(labels, brought) ? USUAL_CLASSES : { labels, positive: undefined };
}

/** Some write 0 and 1, some -1 and 1, and nobody all three. */
function areTwoConventions(labels: readonly string[], brought: readonly (readonly string[])[]): boolean {
  const areUsual = labels.every((label) => USUAL_CLASSES.labels.includes(label));
  return areUsual && !brought.some((own) => own.includes('-1') && own.includes('0'));
}

/** What an operator has declared; undefined: nothing. */
export function declaredClasses({
  classes,
  positive,
}: {
  readonly classes?: readonly string[] | undefined;
  readonly positive?: string | undefined;
}): AgreedClasses | undefined {
  const key = positive === undefined ? undefined : classKey(positive);
  if (!classes) return key === undefined ? undefined : { labels: [key], positive: key };
  const labels = naturallySorted(labelsOf(classes));
  return { labels, positive: key ?? (labels.length === 2 ? labels[1] : undefined) };
}

/** The first of these labels that is none of the classes. */
export function strangerTo({ labels }: AgreedClasses, found: readonly string[]): string | undefined {
  return labels.length === 1 ? undefined : found.find((label) => !labels.includes(label));
}

export function mappingOf({ labels, positive }: AgreedClasses): ClassMapping {
  if (positive === undefined) return { labels };
  const others = labels.filter((label) => label !== positive);
  return { positive, negative: others.length === 1 ? others[0] : undefined };
}

/** "mild" is -1, "severe" is +1. */
export function classesText(classes: AgreedClasses): string {
  const { positive, labels } = classes;
  if (positive === undefined) return `${labels.length}, one head for each: ${listed(labels.map(shown))}`;
  const others = labels.filter((label) => label !== positive);
  const rest = others.length === 0 ? 'everything else' : listed(others.map(shown));
  return `${rest} ${others.length > 1 ? 'are' : 'is'} -1, ${shown(positive)} is +1`;
}
