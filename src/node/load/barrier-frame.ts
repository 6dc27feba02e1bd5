/** What goes back and forth at a barrier: a vector, and as many bytes before it as a real message has beside its own. */
export const BARRIER_VECTOR_AT = 104;

export function barrierFrameBytes(features: number): number {
  return BARRIER_VECTOR_AT + 8 * features;
}
