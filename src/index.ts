export { KindredError } from './base/errors.ts';
export * from './data/index.ts';
export * from './methods/index.ts';
