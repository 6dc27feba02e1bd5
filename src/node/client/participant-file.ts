/** What the state of a participant holds beside that of its machine, and whether it fits who wants to go on with it. */
import { inputError } from '../../base/errors.ts';
import type { ClassMapping } from '../../data/labels.ts';
import type { Stored } from '../../participant/state.ts';

/** Which columns of the participant's data mean what, and whose rows were its own: for predicting with other files. */
export interface OwnColumns {
  readonly task: string;
  readonly label: string;
  readonly drop: readonly string[];
  /** Value of the participant column; undefined: all rows. */
  readonly own: string | undefined;
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
  /** `schemaDigest` of the features. */
  readonly schema: string;
  readonly columns: OwnColumns | undefined;
  /** Digest of the training rows: the duals belong to them. */
  readonly rows: string;
  /** Undefined for regression, and before it is known. */
  readonly classes: ClassMapping | undefined;
  /** For secure aggregation; nobody else knows it. */
  readonly secret: Uint8Array;
  readonly stored: Stored;
}

/** What a process brings that opens the folder. */
export interface Comer {
  readonly participant: string;
  readonly schema: string;
  readonly features: readonly string[];
  readonly rows: string;
  readonly secure: boolean;
}

/** Refuses to go on with a state that is of somebody or something else. */
export function checkSame(folder: string, file: ParticipantFile, comer: Comer): void {
  if (file.participant !== comer.participant) {
    throw inputError(
      'OTHER_PARTICIPANT',
      `${folder}: expected the state of participant "${comer.participant}", got that of "${file.participant}"; give another --state, or --name ${file.participant}`,
    );
  }
  if (file.schema !== comer.schema) {
    const [then, now] = [file.features.length, comer.features.length];
    const which =
      then === now ? `other names or another order than the ${then} it began with` : `${then}, got ${now}`;
    throw inputError(
      'OTHER_COLUMNS',
      `${folder}: expected the features that participant "${file.participant}" began with: ${which}; give the same data and --drop, or another --state`,
    );
  }
  const { committed, pending, settings } = file.stored;
  if (file.rows !== comer.rows && settings?.training === 'steps' && (committed || pending)) {
    throw inputError(
      'OTHER_ROWS',
      `${folder}: expected the training rows that participant "${file.participant}" has contributed with, got others, and this federation trains by steps, which go on from the rows they began with; give the same data, --test-fraction and --seed, or have the operator forget it and give another --state`,
    );
  }
  if (settings && !settings.secure !== !comer.secure) {
    const [had, got] = settings.secure ? ['with', 'without'] : ['without', 'with'];
    throw inputError(
      'NOT_SECURE',
      `${folder}: expected to go on ${had} secure aggregation, as the federation has it, got a start ${got} --secure`,
    );
  }
}

/** Duals say which side a row is on: the classes of a participant that has begun stay what they are. */
export function checkSameClasses(
  folder: string,
  file: ParticipantFile,
  found: ClassMapping | undefined,
): void {
  const { classes } = file;
  if (!classes || !file.stored.committed || classes.positive === found?.positive) return;
  throw inputError(
    'OTHER_CLASSES',
    `${folder}: expected "${classes.positive}" to be the positive class, as when participant "${file.participant}" began, got "${found?.positive}"; give --positive ${classes.positive}, or another --state`,
  );
}
