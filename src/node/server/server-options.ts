/** What a server can be started with. */
import type { Logger } from 'pino';
import type { HostRecorder, Store } from '../../host/ports.ts';
import type { TreeOptions } from '../root/tree.ts';
import type { ServerLimits } from './limits.ts';
import type { TlsOptions } from './tls.ts';

export interface ServerOptions {
  /** Default 127.0.0.1: nobody from outside. */
  readonly host?: string | undefined;
  /** Default 0: any that is free. */
  readonly port?: number | undefined;
  /** An SQLite file, the address of a service (postgres://, nats://), or a store of your own. */
  readonly store: string | Store;
  /** Opens `store` where it is an address. */
  readonly openStore?: ((address: string) => Promise<Store>) | undefined;
  /** Names under which the server may be addressed, beside the address it listens on, loopback and those of its certificate. */
  readonly hostNames?: readonly string[] | undefined;
  /** An admin's, for the operator's API; default: a new one, in `operatorToken` of the server. */
  readonly operatorToken?: string | undefined;
  /**
   * Whoever can reach the server is on this machine, and may read without a token; default: whether `host` is loopback. Set `false` behind a
   * proxy, which passes on requests of others.
   */
  readonly loopback?: boolean | undefined;
  /** Default: open on loopback, by invitation elsewhere. */
  readonly enrolment?: 'open' | 'invitation' | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Origins of pages that may use the API. */
  readonly origins?: readonly string[] | undefined;
  /** A folder with reports of `kindred reproduce`, for the dashboard; read, never written. */
  readonly reports?: string | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Default: silent. */
  readonly log?: Logger | undefined;
  readonly version?: string | undefined;
  /** Receives what goes into and comes out of the machine of a federation. */
  readonly recorderFor?: ((federation: string) => HostRecorder) | undefined;
  /** Present: participants are behind gateways and shards on NATS. */
  readonly tree?: TreeOptions | undefined;
}
