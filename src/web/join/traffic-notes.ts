/** What a participant sends, in words: by kind of message (PROTOCOL.md), as the counter of the page lists it. */

/** As `Traffic` of kindred/browser. */
export type SentByKind = Readonly<Record<string, { readonly count: number; readonly bytes: number }>>;

export interface SentLine {
  readonly kind: string;
  readonly what: string;
  readonly count: number;
  readonly bytes: number;
}

const WORDS: Readonly<Record<string, string>> = {
  challenge: 'Request for a challenge to sign',
  session: 'Signed challenge: name, public key, names of columns',
  join: 'Joining: how many rows, how many columns, how fast',
  moments: 'Mean and spread of each column, names of classes',
  answer: 'Updates: one number for each column, and how well they fit',
  advertise: 'Keys for secure sums',
  dealt: 'Encrypted shares of keys, for the other participants',
  masked: 'Updates under a mask that only the sum removes',
  attested: 'What it was asked, signed for the others',
  revealed: 'Shares that remove masks of those who have dropped out',
  enlist: 'Names of those for whom a gateway speaks',
  partial: 'Sums of those for whom a gateway speaks',
  decline: 'Refusing a request',
  leave: 'Leaving the federation',
  fault: 'The code of a failure',
  ping: 'Keeping the connection open',
};

/** The largest first. */
export function sentLines(sent: SentByKind): SentLine[] {
  return Object.entries(sent)
    .map(([kind, { count, bytes }]) => ({ kind, what: WORDS[kind] ?? kind, count, bytes }))
    .sort((a, b) => b.bytes - a.bytes || (a.kind < b.kind ? -1 : 1));
}
