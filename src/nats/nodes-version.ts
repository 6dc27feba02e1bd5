/**
 * The version of what root, owners and gateways say to each other. A process of another version than the root's waits until one of the two
 * is upgraded, instead of guessing what messages mean.
 */

/** Raise it when an envelope, a subject, the list of federations or an entry of leases means something else. New fields may be ignored. */
export const NODES_VERSION = 1;

/** What a root says of itself. Whoever says nothing is of version 1. */
export interface NodesVersion {
  /** Of the messages between nodes. */
  readonly nodes?: number | undefined;
  /** Of the program, for people. */
  readonly version?: string | undefined;
}

interface RootVersionPorts {
  /** Of this process; default: `NODES_VERSION`. Another one for tests. */
  readonly nodes?: number | undefined;
  /** The root speaks another version: called once for each. */
  onWait(why: string): void;
  onGoOn(): void;
}

/** Whether the root speaks our version: as far as we have heard of it, it does. */
export class RootVersion {
  private readonly ports: RootVersionPorts;
  private reason: string | undefined;

  constructor(ports: RootVersionPorts) {
    this.ports = ports;
  }

  /** Why nothing is done at the moment; undefined: the versions match. */
  get whyWaiting(): string | undefined {
    return this.reason;
  }

  /** What the root has said last. Whether it is of our version. */
  note({ nodes = 1, version }: NodesVersion): boolean {
    const own = this.ports.nodes ?? NODES_VERSION;
    const before = this.reason;
    this.reason = nodes === own ? undefined : reasonOf(nodes, version, own);
    if (this.reason !== undefined && this.reason !== before) this.ports.onWait(this.reason);
    if (this.reason === undefined && before !== undefined) this.ports.onGoOn();
    return this.reason === undefined;
  }
}

/** Of a process that serves several roots: it has work as long as one of them speaks its version. */
export function whyAllWait(versions: readonly RootVersion[]): string | undefined {
  return versions.every(({ whyWaiting }) => whyWaiting !== undefined) ? versions[0]?.whyWaiting : undefined;
}

function reasonOf(nodes: number, version: string | undefined, own: number): string {
  const program = version ? ` (kindred ${version})` : '';
  const older = nodes > own ? 'this process' : 'the root';
  return `the root${program} speaks version ${nodes} of the messages between nodes, this process version ${own}: waiting; upgrade ${older}`;
}
