/** Values that an option takes one of, for the completion of a shell. Commander's own choices would check and explain them a second time. */
import type { Option } from 'commander';

const OFFERED = new WeakMap<Option, readonly string[]>();

export function offer(option: Option, values: readonly string[]): Option {
  OFFERED.set(option, values);
  return option;
}

export function offered(option: Option): readonly string[] {
  return OFFERED.get(option) ?? [];
}
