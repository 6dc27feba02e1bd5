/** The coordinator as a service, on a store of any kind. */
import { type CoordinatorServer, type ServerOptions, startServer as start } from '../node/server/server.ts';
import { openStore } from './open-store.ts';

export function startServer(options: ServerOptions): Promise<CoordinatorServer> {
  return start({ openStore, ...options });
}
