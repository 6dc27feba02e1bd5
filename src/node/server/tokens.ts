/**
 * Tokens of the operator's API: each has a name and a role. The one in the operator's file, `operator`, is an admin and always there; the
 * others are made by admins, and only salted digests of them are stored. After a rotation the old one is valid for a while.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { HostClock, Role, TokenDigest, TokenRecord, TokenStore } from '../../host/ports.ts';
import { ApiError } from './api-error.ts';

const TOKEN_BYTES = 24;
const SALT_BYTES = 16;
/** Each request with a token is compared with all of them. */
const MOST_TOKENS = 100;
/** The token of the operator's file. */
export const OPERATOR = 'operator';

export interface Actor {
  readonly name: string;
  readonly role: Role;
}

interface TokenRequest {
  readonly name: string;
  readonly role: Role;
  readonly lifetimeMs?: number | undefined;
}

/** The token is given out once, and kept nowhere. */
export interface NewToken {
  readonly token: string;
  readonly record: TokenRecord;
}

export class Tokens {
  private readonly store: TokenStore;
  private readonly clock: HostClock;
  private readonly operator: TokenDigest;
  private records: readonly TokenRecord[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor(store: TokenStore, clock: HostClock, operatorToken: string) {
    this.store = store;
    this.clock = clock;
    this.operator = digestOf(operatorToken);
  }

  async load(): Promise<void> {
    this.records = await this.store.tokens();
  }

  /** By name. */
  list(): readonly TokenRecord[] {
    return this.records;
  }

  /** Whose token it is. All are compared, so that the time it takes says nothing about which is near. */
  actorOf(token: string): Actor | undefined {
    const now = this.clock.wallClock();
    let found: Actor | undefined = matches(token, this.operator)
      ? { name: OPERATOR, role: 'admin' }
      : undefined;
    for (const record of this.records) {
      const { name, role, expiresMs = Number.POSITIVE_INFINITY, previous } = record;
      const isNew = matches(token, record);
      const isOld = previous !== undefined && matches(token, previous) && previous.untilMs > now;
      if ((isNew || isOld) && expiresMs > now) found = { name, role };
    }
    return found;
  }

  add({ name, role, lifetimeMs }: TokenRequest): Promise<NewToken> {
    return this.inTurn(async () => {
      if (name === OPERATOR || this.records.some((record) => record.name === name))
        throw new ApiError('NAME_TAKEN', `token "${name}": the name is taken`);
      if (this.records.length >= MOST_TOKENS)
        throw new ApiError('FULL', `tokens: expected at most ${MOST_TOKENS}; remove one first`);
      const createdMs = this.clock.wallClock();
      const expiresMs = lifetimeMs === undefined ? undefined : createdMs + lifetimeMs;
      return this.save({ name, role, createdMs, expiresMs, previous: undefined });
    });
  }

  /** A new token in the place of the old one, which is valid for `overlapMs` more. */
  rotate(name: string, overlapMs: number): Promise<NewToken> {
    return this.inTurn(async () => {
      const { salt, digest, ...record } = this.find(name);
      const untilMs = this.clock.wallClock() + overlapMs;
      return this.save({ ...record, previous: overlapMs > 0 ? { salt, digest, untilMs } : undefined });
    });
  }

  remove(name: string): Promise<void> {
    return this.inTurn(async () => {
      this.find(name);
      await this.store.removeToken(name);
      await this.load();
    });
  }

  private async save(rest: Omit<TokenRecord, keyof TokenDigest>): Promise<NewToken> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const record = { ...rest, ...digestOf(token) };
    await this.store.saveToken(record);
    await this.load();
    return { token, record };
  }

  private find(name: string): TokenRecord {
    if (name === OPERATOR) {
      const hint = 'to replace it, stop the server, delete the file and start the server again';
      throw new ApiError('REFUSED', `token "${name}" is in a file of the server; ${hint}`);
    }
    const found = this.records.find((record) => record.name === name);
    if (!found) throw new ApiError('NO_SUCH_TOKEN', `token "${name}": no such token`);
    return found;
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.last.then(act);
    this.last = result.catch(() => {});
    return result;
  }
}

function digestOf(token: string): TokenDigest {
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return { salt, digest: hash(salt, token).toString('hex') };
}

function matches(token: string, { salt, digest }: TokenDigest): boolean {
  const expected = Buffer.from(digest, 'hex');
  const actual = hash(salt, token);
  return expected.length === actual.length && timingSafeEqual(actual, expected);
}

/** Tokens are 24 random bytes, or in a file of the operator's: nothing that a slow hash would have to protect from guessing. */
function hash(salt: string, token: string): Buffer {
  return createHash('sha256').update(salt).update(token).digest();
}
