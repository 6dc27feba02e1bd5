/** The coordinator as a service, to run or to embed. */
export { FederationHost, type HostRecorder, type HostWorld, type Order } from '../host/federation-host.ts';
export type * from '../host/store.ts';
export { SqliteStore } from '../store/sqlite-store.ts';
export type { InvitationRequest, NewInvitation } from './door.ts';
export type { Federation } from './federation.ts';
export { DEFAULT_LIMITS_OF_SERVER, type ServerLimits } from './limits.ts';
export { CoordinatorServer, type ServerOptions, startServer } from './server.ts';
export type { TlsOptions } from './tls.ts';
