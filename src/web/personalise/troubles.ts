/** What is wrong with a file, in words for whoever has dropped it. Codes are those of the library (docs/errors.md). */
import { plainMessage } from '../shared/plain-message.ts';

export type Trouble =
  /** The file has not all columns of the model. */
  | { readonly kind: 'columns'; readonly lacking: readonly string[]; readonly needed: number }
  /** No column is left that could be the target. */
  | { readonly kind: 'no target'; readonly label: string }
  | { readonly kind: 'other'; readonly title: string; readonly text: string };

type Known = (message: string) => { readonly title: string; readonly text: string };

const NO_MODEL: Known = () => ({
  title: 'This is not a Kindred model',
  text: 'Expected the JSON file that kindred train --model, or the download of a page, has written. Did you mix up the two files?',
});

const KNOWN: Readonly<Record<string, Known>> = {
  MODEL_FORMAT: NO_MODEL,
  MODEL_NOT_JSON: NO_MODEL,
  MODEL_VERSION: () => ({
    title: 'This model is newer than the page',
    text: 'It was written by a newer version of Kindred. Open the page of that version.',
  }),
  NOT_PERSONALISABLE: (message) => ({
    title: 'This model cannot be personalised',
    text: `It has no shared part to start from: only models of method mtl and global have one. ${sentence(message)}`,
  }),
  UNKNOWN_CLASS: (message) => ({
    title: 'The values to predict are not those of the model',
    text: `${sentence(message)} Is it the right column?`,
  }),
  TARGET_NOT_A_NUMBER: (message) => ({
    title: 'This model predicts numbers',
    text: `${sentence(message)} Choose a column of numbers to predict.`,
  }),
  EMPTY_FILE: () => ({ title: 'The file is empty', text: 'Expected a header line and rows.' }),
  WORKER_FAILED: () => ({
    title: 'A part of this page did not load',
    text: 'If you are offline, connect again and load the page anew. Nothing was sent.',
  }),
};

export function troubleOf(code: string | undefined, message: string): Trouble {
  const known = code === undefined ? undefined : KNOWN[code];
  if (known) return { kind: 'other', ...known(message) };
  // A part that is loaded when needed, such as the reader of Parquet.
  if (code === undefined && /import|fetch|module/i.test(message))
    return { kind: 'other', ...KNOWN.WORKER_FAILED(message) };
  return { kind: 'other', title: 'This file does not work', text: sentence(message) };
}

function sentence(message: string): string {
  const text = plainMessage(message);
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
