/**
 * What stops somebody from taking part, in their words: what has happened, and what they can do. Codes are those of the library and the server
 * (docs/errors.md); what is not here is shown with its own sentence.
 */
import { plainMessage } from '../shared/plain-message.ts';

/** What the page can offer. */
export type Remedy =
  /** Load the page again. */
  | 'reload'
  /** Choose a file, or other columns of it. */
  | 'data'
  /** Take another name. */
  | 'name'
  /** Forget all that is on this device, and begin anew. */
  | 'start over'
  /** Do the same again. */
  | 'retry';

export interface Problem {
  readonly code: string;
  readonly title: string;
  readonly text: string;
  /** In the words of the library, for whoever asks for help; undefined: the text says it all. */
  readonly details: string | undefined;
  readonly remedies: readonly Remedy[];
}

type Known = Omit<Problem, 'code' | 'details'> | ((message: string) => Omit<Problem, 'code' | 'details'>);

const ASK = 'Ask whoever invited you for a new link.';

const NEW_VERSION: Known = {
  title: 'This page is out of date',
  text: 'The server speaks another version than this page. Load the page again to get the new one. Your data and your model stay here.',
  remedies: ['reload'],
};

const GONE: Known = {
  title: 'This federation does not exist',
  text: 'It has been deleted, or the address is wrong. Check the link that you were given.',
  remedies: ['retry'],
};

const OTHER_COLUMNS: Known = (message) => ({
  title: 'These are other columns than those of the others',
  text: `Everybody in this federation needs the same columns. ${columnsText(message)}`,
  remedies: ['data'],
});

const STORAGE: Known = {
  title: 'The browser has no room left',
  text: 'This page keeps its key and its model in the storage of the browser, and that is full. Make room, or take part from another device.',
  remedies: ['retry', 'start over'],
};

const STATE_GONE: Known = {
  title: 'The storage of this page was deleted',
  text: 'The key and the model of this device are gone, and with them the way to go on under this name. You can start over under another one.',
  remedies: ['start over'],
};

const KNOWN: Readonly<Record<string, Known>> = {
  INVITATION_NEEDED: {
    title: 'You need an invitation',
    text: `This federation takes only people with an invitation link. ${ASK}`,
    remedies: [],
  },
  INVITATION_INVALID: (message) => ({
    title: 'This invitation does not work',
    text: `${invitationText(message)} ${ASK}`,
    remedies: [],
  }),
  NAME_TAKEN: {
    title: 'This name is taken',
    text: 'Somebody takes part under this name with another key. If it was you, in another browser or before its storage was deleted, that key is gone. Choose another name, or ask the operator.',
    remedies: ['name'],
  },
  BAD_NAME: (message) => ({
    title: 'This name does not work',
    text: `${sentence(message)} Choose another one.`,
    remedies: ['name'],
  }),
  REVOKED: {
    title: 'You were removed from this federation',
    text: 'The operator has revoked your part in it. The model that you have on this device keeps working; nothing more is sent.',
    remedies: [],
  },
  FULL: {
    title: 'This federation is full',
    text: `No more people can enrol by themselves. ${ASK}`,
    remedies: ['retry'],
  },
  NO_SUCH_FEDERATION: GONE,
  DELETED: {
    title: 'This federation was deleted',
    text: 'The operator has ended it for good. The model that you have on this device keeps working; nothing more is sent.',
    remedies: [],
  },
  REPLACED: {
    title: 'You take part somewhere else',
    text: 'Somebody with your key has connected from another place, and only one can take part under one name.',
    remedies: ['retry'],
  },
  WRONG_FEDERATION: {
    title: 'This is another federation than the one you joined',
    text: 'It has the same name, but the one that you took part in was deleted. You can join the new one from the beginning; what this device has of the old one is deleted then.',
    remedies: ['start over'],
  },
  WRONG_PROTOCOL: NEW_VERSION,
  BAD_VERSION: NEW_VERSION,
  WRONG_FEATURES: OTHER_COLUMNS,
  COLUMNS_NOT_AGREED: OTHER_COLUMNS,
  OTHER_COLUMNS: {
    title: 'These are other columns than at the last time',
    text: 'On this device you took part with a file of other columns. Give the same columns, or start over under another name.',
    remedies: ['data', 'start over'],
  },
  OTHER_ROWS: {
    title: 'These are other rows than at the last time',
    text: 'This federation trains by steps, so rows may not change. Give the same file as before.',
    remedies: ['data'],
  },
  WRONG_CLASSES: (message) => ({
    title: 'The values to predict do not fit',
    text: `${sentence(message)} Is it the right column?`,
    remedies: ['data'],
  }),
  POSITIVE_NEEDED: {
    title: 'The operator has to name the positive class',
    text: 'There are more than two different values to predict, and this federation takes two.',
    remedies: ['data'],
  },
  TARGET_NOT_A_NUMBER: (message) => ({
    title: 'This federation predicts numbers',
    text: `${sentence(message)} Choose a column of numbers to predict.`,
    remedies: ['data'],
  }),
  NOT_SECURE: {
    title: 'The protection is not the one that was announced',
    text: 'The federation has changed how much the server can see. Load the page again to read what it is now.',
    remedies: ['reload'],
  },
  EXPELLED: {
    title: 'Your part was expelled',
    text: 'This device sent wrong shares in a secure sum, and the operator has to let it in again.',
    remedies: [],
  },
  DISK_FULL: STORAGE,
  NO_STORAGE: {
    title: 'The browser lets this page keep nothing',
    text: 'This page keeps its key and its model in the storage of the browser. Allow it for this site, or leave the private window.',
    remedies: ['retry'],
  },
  STORED_VERSION: NEW_VERSION,
  STATE_INCOMPLETE: STATE_GONE,
  STATE_LOST: STATE_GONE,
  WRONG_HOST: {
    title: 'The server does not know this address',
    text: 'You have opened it under a name that it does not know as its own. Ask the operator for the right link.',
    remedies: [],
  },
  OFFLINE: {
    title: 'The server does not answer',
    text: 'It may be switched off, or this device is offline. The page tries again by itself.',
    remedies: ['retry'],
  },
  WORKER_FAILED: {
    title: 'A part of this page did not load',
    text: 'Load the page again.',
    remedies: ['reload'],
  },
};

export function problemOf(code: string | undefined, message: string): Problem {
  const known = code === undefined ? undefined : KNOWN[code];
  const found = typeof known === 'function' ? known(message) : known;
  if (found) return { code: code!, details: message, ...found };
  return {
    code: code ?? 'UNKNOWN',
    title: 'This did not work',
    text: sentence(message),
    details: undefined,
    remedies: ['retry'],
  };
}

/** Of reading a file: the words of the parser are about the file, whose name is shown anyway. */
export function fileProblemOf(code: string | undefined, message: string, name: string): Problem {
  const { title, ...problem } = problemOf(code, message.replace(`${name}: `, ''));
  return { ...problem, title: code !== undefined && code in KNOWN ? title : 'This cannot be used' };
}

/** The server's words behind "where:", as a sentence. */
function sentence(message: string): string {
  const text = plainMessage(message)
    .replace(/^https?:\/\/\S+: /, '')
    .replace(/^participant "[^"]*": /, '');
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function columnsText(message: string): string {
  return sentence(message);
}

function invitationText(message: string): string {
  if (message.includes('has been used'))
    return 'It has been used: each invitation is for one person, and one browser.';
  if (message.includes('expired')) return 'It has expired.';
  if (message.includes('another participant')) return 'It is for somebody of another name.';
  return 'It is not one of this federation.';
}
