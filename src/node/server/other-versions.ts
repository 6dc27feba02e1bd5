/** Participants of other protocol versions that knock: counted by version and logged, so that an operator knows who waits for an upgrade. */
import { PROTOCOL_VERSION } from '../../protocol/messages.ts';
import { increase } from './meters.ts';

/** Versions are claims of strangers: no more than these are told apart. */
const MOST_VERSIONS = 8;
/** Between two lines of the log about the same version. */
const LOG_MS = 600_000;
const SUBPROTOCOL_VERSION = /^kindred\.v(\d{1,3})$/;

/** `other`: of versions beyond those that are told apart. */
type Version = `${number}` | 'other';

export class OtherVersions {
  readonly counts = new Map<Version, number>();
  private readonly logged = new Map<Version, number>();
  private readonly now: () => number;
  private readonly log: (version: Version) => void;

  constructor(now: () => number, log: (version: Version) => void) {
    this.now = now;
    this.log = log;
  }

  /** What a participant says that it speaks, or offers as a subprotocol. */
  note(protocol: number | string): void {
    const given = typeof protocol === 'number' ? protocol : Number(SUBPROTOCOL_VERSION.exec(protocol)?.[1]);
    if (!Number.isInteger(given) || given === PROTOCOL_VERSION) return;
    const name: Version = `${given}`;
    const version = this.counts.has(name) || this.counts.size < MOST_VERSIONS ? name : 'other';
    increase(this.counts, version);
    const now = this.now();
    if (now < (this.logged.get(version) ?? Number.NEGATIVE_INFINITY)) return;
    this.logged.set(version, now + LOG_MS);
    this.log(version);
  }
}
