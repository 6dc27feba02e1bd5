import { expect, test } from 'vitest';
import { EffectLoop } from '../../src/base/effect-loop.ts';

/** Input n asks for the effects n.0, n.1, ... n.2; `slow` ones take a while, `bad` ones throw. */
function loopWith({ slow = [] as string[], bad = [] as string[] } = {}) {
  const log: string[] = [];
  const ready = new Map<string, () => void>();
  const loop: EffectLoop<number, string> = new EffectLoop<number, string>({
    step: (input) => {
      log.push(`step ${input}`);
      return input === 0 ? [] : [0, 1, 2].map((e) => `${input}.${e}`);
    },
    perform: (effect) => {
      log.push(effect);
      if (bad.includes(effect)) throw new Error(effect);
      if (!slow.includes(effect)) return undefined;
      return new Promise<void>((resolve) => ready.set(effect, resolve));
    },
    settled: () => log.push('settled'),
    failed: (error) => log.push(`failed ${(error as Error).message}`),
  });
  const finish = async (effect: string) => {
    ready.get(effect)!();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { loop, log, finish };
}

test('where nothing has to be waited for, everything has happened when take returns', () => {
  const { loop, log } = loopWith();
  loop.take(1);
  loop.take(0);
  expect(log).toEqual(['step 1', '1.0', '1.1', '1.2', 'settled', 'step 0', 'settled']);
});

test('an effect is complete before the next one begins, and inputs wait their turn', async () => {
  const { loop, log, finish } = loopWith({ slow: ['1.1', '2.2'] });
  loop.take(1);
  loop.take(2);
  expect(log).toEqual(['step 1', '1.0', '1.1']);
  await finish('1.1');
  expect(log.slice(3)).toEqual(['1.2', 'settled', 'step 2', '2.0', '2.1', '2.2']);
  await finish('2.2');
  expect(log.at(-1)).toBe('settled');
  loop.take(0);
  expect(log.slice(-2)).toEqual(['step 0', 'settled']);
});

test('an input that an effect causes comes after the rest of the present one', () => {
  const log: string[] = [];
  const loop = new EffectLoop<number, string>({
    step: (input) => (input === 1 ? ['again', 'last'] : ['second']),
    perform: (effect) => {
      if (effect === 'again') loop.take(2);
      log.push(effect);
    },
    failed: () => {},
  });
  loop.take(1);
  expect(log).toEqual(['again', 'last', 'second']);
});

test('what throws stops the loop: nothing after it is carried out', () => {
  const { loop, log } = loopWith({ bad: ['1.1'] });
  loop.take(1);
  loop.take(2);
  expect(log).toEqual(['step 1', '1.0', '1.1', 'failed 1.1']);
});

test('a promise that is rejected stops the loop', async () => {
  const log: string[] = [];
  const loop = new EffectLoop<number, string>({
    step: () => ['persist', 'send'],
    perform: (effect) => {
      log.push(effect);
      return effect === 'persist' ? Promise.reject(new Error('full')) : undefined;
    },
    failed: (error) => log.push((error as Error).message),
  });
  loop.take(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['persist', 'full']);
});

test('stopped within an effect: the rest of the input is dropped', () => {
  const log: string[] = [];
  const loop = new EffectLoop<number, string>({
    step: () => ['first', 'second'],
    perform: (effect) => {
      log.push(effect);
      loop.stop();
    },
    settled: () => log.push('settled'),
    failed: () => {},
  });
  loop.take(1);
  loop.take(2);
  expect(log).toEqual(['first']);
});
