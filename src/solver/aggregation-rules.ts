import { type Aggregation, type Aggregator, FixedStep, LineSearch } from './aggregate.ts';
import { Exact } from './aggregate-exact.ts';

/** The coordinator's part of a rule, for so many columns and participants. */
export function createAggregator(rule: Aggregation, d: number, participants: number, c2: number): Aggregator {
  switch (rule) {
    case 'exact':
      return new Exact(d, participants, c2);
    case 'line-search':
      return new LineSearch(d, participants, c2);
    case 'safe':
      return new FixedStep(d, participants);
    case 'sum':
      return new FixedStep(d, 1);
  }
}
