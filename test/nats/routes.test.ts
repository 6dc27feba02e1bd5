/** Who is where: the newest connection wins, words that were lost come to light, and a silent gateway has nobody. */
import { expect, test } from 'vitest';
import { Routes } from '../../src/nats/routes.ts';

function setUp() {
  const happened: string[] = [];
  const routes = new Routes({
    mostMissed: 2,
    onAway: (participant) => happened.push(`away ${participant}`),
    onReplaced: ({ gateway, connection }) => happened.push(`replaced ${gateway} ${connection}`),
    onUnknown: (gateway, connections) => happened.push(`who ${gateway} ${connections}`),
  });
  return { routes, happened };
}

test('the newest connection wins, whatever order words come in', () => {
  const { routes, happened } = setUp();
  expect(routes.note('ada', { gateway: 'a', connection: 1 })).toBe(true);
  expect(routes.note('ada', { gateway: 'b', connection: 3 })).toBe(true);
  // Late on its way.
  expect(routes.note('ada', { gateway: 'a', connection: 2 })).toBe(false);
  expect(routes.of('ada')).toEqual({ gateway: 'b', connection: 3 });
  routes.away('ada', { connection: 1 });
  expect(routes.of('ada')).toBeDefined();
  routes.away('ada', { connection: 3 });
  expect(routes.of('ada')).toBeUndefined();
  expect(happened).toEqual(['replaced a 1', 'replaced a 2', 'away ada']);
});

test('a roster brings to light who has gone and who is unknown', () => {
  const { routes, happened } = setUp();
  routes.note('ada', { gateway: 'a', connection: 1 });
  routes.note('bob', { gateway: 'a', connection: 2 });
  routes.roster('a', [2, 5]);
  expect(happened).toEqual(['away ada', 'who a 5']);
  routes.note('cyd', { gateway: 'a', connection: 5 });
  routes.roster('a', [2, 5]);
  expect(happened).toHaveLength(2);
  expect(routes.size).toBe(2);
});

test('a gateway that has fallen silent has nobody, and comes back with those it has', () => {
  const { routes, happened } = setUp();
  routes.note('ada', { gateway: 'a', connection: 1 });
  routes.note('bob', { gateway: 'b', connection: 2 });
  routes.check();
  for (let beats = 0; beats < 2; beats++) {
    expect(happened).toEqual([]);
    routes.roster('b', [2]);
    routes.check();
  }
  expect(happened).toEqual(['away ada']);
  expect(routes.of('bob')).toBeDefined();
  routes.roster('a', [1]);
  expect(happened.at(-1)).toBe('who a 1');
  routes.note('ada', { gateway: 'a', connection: 1 });
  routes.check();
  expect(routes.of('ada')).toEqual({ gateway: 'a', connection: 1 });
});

test('a check that comes late, because the owner was busy, does not count for more than one', () => {
  const { routes, happened } = setUp();
  routes.note('ada', { gateway: 'a', connection: 1 });
  for (let beats = 0; beats < 5; beats++) {
    routes.check();
    // Nothing could be read before the check, and all of it afterwards.
    routes.check();
    routes.roster('a', [1]);
  }
  expect(happened).toEqual([]);
});
