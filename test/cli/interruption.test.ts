import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/cli/interruption.ts';
import type { Io } from '../../src/cli/io.ts';

/** Signals and a clock by hand. Handlers are good for one signal, as those of the process are. */
function signals() {
  let handler: (() => void) | undefined;
  let nowMs = 0;
  const io = {
    now: () => nowMs,
    onInterrupt: (act: () => void) => {
      handler = act;
      return () => {
        handler = undefined;
      };
    },
  } as unknown as Io;
  const send = (atMs: number) => {
    nowMs = atMs;
    const act = handler;
    handler = undefined;
    act?.();
  };
  return { io, send, isListening: () => handler !== undefined };
}

describe('ctrl-c for what takes a while to stop', () => {
  test('the first stops in good order, a later one at once', async () => {
    const { io, send } = signals();
    const interruption = new Interruption(io);
    let again = 0;
    interruption.onAgain(() => again++);
    expect(interruption.signal.aborted).toBe(false);
    send(100);
    await interruption.first;
    expect([interruption.signal.aborted, again]).toEqual([true, 0]);
    send(5000);
    expect(again).toBe(1);
  });

  test('what npm passes on of the same ctrl-c is not a second one', () => {
    const { io, send } = signals();
    const interruption = new Interruption(io);
    let again = 0;
    interruption.onAgain(() => again++);
    send(100);
    send(101);
    send(900);
    expect(again).toBe(0);
    send(1200);
    expect(again).toBe(1);
  });

  test('released, signals do what they do by themselves', () => {
    const { io, isListening } = signals();
    const interruption = new Interruption(io);
    expect(isListening()).toBe(true);
    interruption.release();
    expect(isListening()).toBe(false);
  });
});
