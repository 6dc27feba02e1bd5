export { decodeFrom, encode } from './codec.ts';
export * from './joining.ts';
export { DEFAULT_LIMITS, type Limits } from './limits.ts';
export * from './messages.ts';
export { ProtocolError } from './protocol-error.ts';
export * from './secure-sums.ts';
