/** All that goes into the machine of a simulated coordinator passes here: assign `take` to see or to change it. */
import type { CoordinatorInput } from '../../src/coordinator/effects.ts';
import type { CoordinatorNode } from '../../src/sim/coordinator-node.ts';

export interface Gate {
  take(input: CoordinatorInput): void;
}

export function gateOf(node: CoordinatorNode): Gate {
  let pass: Gate['take'] = () => {};
  const gate: Gate = { take: (input) => pass(input) };
  const open = node.open.bind(node);
  node.open = () => {
    const host = open();
    pass = host.take.bind(host);
    host.take = (input) => gate.take(input);
    return host;
  };
  return gate;
}
