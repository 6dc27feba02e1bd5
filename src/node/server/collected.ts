/** Metrics that are kept elsewhere, as plain numbers: they are asked for again each time that metrics are read. */
import type { Counter, Gauge, Registry } from 'prom-client';

/** Puts all values there are. */
/** Puts all values there are. */
export type Put = (value: number, labels?: Record<string, string>) => void;
type Collect = (put: Put) => void;

export function collect(
  registry: Registry,
  Kind: typeof Gauge | typeof Counter,
  name: string,
  help: string,
  labelNames: string[],
  each: Collect,
): void {
  new Kind({
    name: `kindred_${name}`,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      each((value, labels = {}) => this.inc(labels, value));
    },
  });
}
