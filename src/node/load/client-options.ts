import type { ClientOptions } from 'ws';

/** How load tests connect: as participants do, whose frames are masked as the WebSocket protocol demands. */
export const CLIENT_OPTIONS: ClientOptions = { perMessageDeflate: false };
