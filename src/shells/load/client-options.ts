import type { ClientOptions } from 'ws';

/** How load tests connect. No mask protects anybody on loopback: a zero one spares both ends the time to apply it. */
export const CLIENT_OPTIONS: ClientOptions = {
  generateMask: (mask) => mask.fill(0),
  perMessageDeflate: false,
};
