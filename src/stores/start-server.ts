/** The coordinator as a service, on a store of any kind. */
import { type CoordinatorServer, startServer as start } from '../node/server/server.ts';
import type { ServerOptions } from '../node/server/server-options.ts';
import { openStore } from './open-store.ts';

export function startServer(options: ServerOptions): Promise<CoordinatorServer> {
  return start({ openStore, ...options });
}
