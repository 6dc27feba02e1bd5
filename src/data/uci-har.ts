/**
 * "Human Activity Recognition Using Smartphones" (UCI id 240) as distributed: a folder of text files, values separated
 * by space, rows of train and test apart. The caller reads the files; here their bytes become a table.
 */
import { inputError } from '../base/errors.ts';
import { allocateRows, count } from './memory.ts';
import { badFeature, DecimalScanner, LARGEST_FEATURE, parseDecimal, shown } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table } from './table.ts';
import { decodeText, textLines } from './text.ts';

/** Bytes by path below "UCI HAR Dataset/": "train/X_train.txt" and so on. */
export type UciHarFiles = Readonly<Record<string, Uint8Array | undefined>>;

interface UciHarShape {
  readonly trainRows: number;
  readonly testRows: number;
  readonly features: number;
}

interface UciHarFile {
  readonly path: string;
  readonly rows: number;
  /** Values on each line. */
  readonly columns: number;
}

const ACTIVITIES = 6;
const SITTING = 4;

const UCI_HAR_SHAPE: UciHarShape = { trainRows: 7352, testRows: 2947, features: 561 };
export const UCI_HAR_FILES: readonly UciHarFile[] = uciHarFiles(UCI_HAR_SHAPE);

interface UciHarOptions {
  /** `sitting`: 1 for sitting, -1 for anything else (the paper's problem). `activity`: the number 1..6. */
  readonly target?: 'sitting' | 'activity';
  /** Other than the published one only in tests. */
  readonly shape?: UciHarShape;
}

/** The files that are needed, with the rows and columns they must have. */
export function uciHarFiles(shape: UciHarShape): UciHarFile[] {
  const parts = [
    ['train', shape.trainRows],
    ['test', shape.testRows],
  ] as const;
  return [
    { path: 'features.txt', rows: shape.features, columns: 2 },
    { path: 'activity_labels.txt', rows: ACTIVITIES, columns: 2 },
    ...parts.flatMap(([part, rows]) => [
      { path: `${part}/X_${part}.txt`, rows, columns: shape.features },
      { path: `${part}/y_${part}.txt`, rows, columns: 1 },
      { path: `${part}/subject_${part}.txt`, rows, columns: 1 },
    ]),
  ];
}

/** Refuses a folder in which a file is missing, short, of another shape, or has an unknown activity. */
export function verifyUciHar(files: UciHarFiles, source: string, shape = UCI_HAR_SHAPE): void {
  const needed = uciHarFiles(shape);
  const missing = needed.filter(({ path }) => !files[path]).map(({ path }) => path);
  if (missing.length > 0) {
    throw inputError(
      'UCI_HAR_MISSING_FILE',
      `${source}: expected the files of UCI HAR, missing ${missing.join(', ')}`,
    );
  }
  for (const file of needed) checkShape(files[file.path]!, `${source}/${file.path}`, file);
  for (const part of ['train', 'test']) {
    const path = `${source}/${part}/y_${part}.txt`;
    for (const [i, text] of textLines(files[`${part}/y_${part}.txt`]!, path).entries()) {
      if (/^[1-6]$/.test(text)) continue;
      throw inputError(
        'UCI_HAR_ACTIVITY',
        `${path} line ${i + 1}: expected an activity from 1 to ${ACTIVITIES}, got ${shown(text)}`,
      );
    }
  }
}

export function readUciHar(files: UciHarFiles, source: string, options: UciHarOptions = {}): Table {
  const { target = 'sitting', shape = UCI_HAR_SHAPE } = options;
  verifyUciHar(files, source, shape);
  const n = shape.trainRows + shape.testRows;
  const x = allocateRows(source, n, shape.features);
  const participants = new ParticipantColumn();
  const targets: string[] = [];
  let at = 0;
  for (const part of ['train', 'test']) {
    at = readMatrix(
      files[`${part}/X_${part}.txt`]!,
      `${source}/${part}/X_${part}.txt`,
      shape.features,
      x,
      at,
    );
    for (const id of textLines(files[`${part}/subject_${part}.txt`]!, source)) participants.push(id);
    for (const activity of textLines(files[`${part}/y_${part}.txt`]!, source)) {
      targets.push(target === 'activity' ? activity : Number(activity) === SITTING ? '1' : '-1');
    }
  }
  const features = distinctNames(textLines(files['features.txt']!, source));
  return { source, features, n, x, ...participants.finish(), targets, lines: undefined };
}

/** The published list names some features three times; its number in the list makes each distinct. */
function distinctNames(lines: readonly string[]): string[] {
  const names = lines.map((line) => line.split(/\s+/)[1]);
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return names.map((name, j) => (times.get(name) === 1 ? name : `${name} #${j + 1}`));
}

function checkShape(bytes: Uint8Array, path: string, file: UciHarFile): void {
  let rows = 0;
  let line = 1;
  let columns = 0;
  let inside = false;
  for (let p = 0; p <= bytes.length; p++) {
    const c = p < bytes.length ? bytes[p] : 0x0a;
    const space = c === 0x20 || (c >= 0x09 && c <= 0x0d);
    if (!space && !inside) columns++;
    inside = !space;
    if (c !== 0x0a) continue;
    if (columns > 0) {
      rows++;
      if (columns !== file.columns) {
        throw inputError(
          'UCI_HAR_COLUMNS',
          `${path} line ${line}: expected ${file.columns} values, got ${columns}`,
        );
      }
    }
    columns = 0;
    line++;
  }
  if (rows !== file.rows) {
    throw inputError('UCI_HAR_ROWS', `${path}: expected ${count(file.rows)} rows, got ${count(rows)}`);
  }
}

/** Numbers separated by space into x from `at` on; gives the position behind them. */
function readMatrix(bytes: Uint8Array, path: string, d: number, x: Float64Array, at: number): number {
  const numbers = new DecimalScanner();
  const first = at;
  for (let p = 0; p < bytes.length; ) {
    if (bytes[p] <= 0x20) {
      p++;
      continue;
    }
    const end = numbers.scan(bytes, p, bytes.length);
    if (end >= 0 && (end === bytes.length || bytes[end] <= 0x20)) {
      x[at++] = numbers.value;
      p = end;
      continue;
    }
    let behind = p;
    while (behind < bytes.length && bytes[behind] > 0x20) behind++;
    const text = decodeText(bytes, p, behind, () => path);
    const value = parseDecimal(text);
    if (!(Math.abs(value) <= LARGEST_FEATURE)) {
      const where = `${path} line ${Math.floor((at - first) / d) + 1}, value ${((at - first) % d) + 1}`;
      throw badFeature(where, text);
    }
    x[at++] = value;
    p = behind;
  }
  return at;
}
