/** What the routes of the HTTP API work with. */
import type { CoordinatorOptions } from '../../coordinator/options.ts';
import type { Store } from '../../host/ports.ts';
import type { Access } from './access.ts';
import type { ErrorCode } from './api-error.ts';
import type { Door } from './door.ts';
import type { Federation } from './federation.ts';
import type { Meters } from './meters.ts';

export interface ServerContext {
  readonly version: string;
  readonly store: Store;
  readonly door: Door;
  readonly access: Access;
  readonly meters: Meters;
  readonly wallClock: () => number;
  readonly startedMs: number;
  /** By name. */
  readonly federations: ReadonlyMap<string, Federation>;
  /** Refuses a name that is not there. */
  federation(name: string): Federation;
  /** Refuses a name that is there, or that is none. */
  create(name: string, options: CoordinatorOptions): Promise<Federation>;
  /** Whether the server is on its way out. */
  readonly stopping: () => boolean;
  /** Every refusal is counted. */
  onRefused(code: ErrorCode): void;
}
