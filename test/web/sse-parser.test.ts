import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ServerEvent, SseParser } from '../../src/web/shared/sse-parser.ts';

function parsed(...pieces: readonly string[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const parser = new SseParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  return events;
}

const STREAM =
  ': comment\n\nevent: state\ndata: {"a":1}\n\nid: 7\nevent: round\ndata: one\ndata: two\n\ndata:tight\r\n\r\ndata: old\r\rnonsense\n\nevent: lost\n\ndata: last\n\n';

const EVENTS = [
  { type: 'state', data: '{"a":1}', id: '' },
  { type: 'round', data: 'one\ntwo', id: '7' },
  { type: 'message', data: 'tight', id: '7' },
  { type: 'message', data: 'old', id: '7' },
  { type: 'message', data: 'last', id: '7' },
];

describe('server-sent events', () => {
  test('fields, comments, all line ends, and an event without data that is none', () => {
    expect(parsed(STREAM)).toEqual(EVENTS);
  });

  test('are the same wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
        const pieces = at.slice(1).map((to, i) => STREAM.slice(at[i], to));
        expect(parsed(...pieces)).toEqual(EVENTS);
      }),
    );
    expect(parsed(...STREAM)).toEqual(EVENTS);
  });

  test('one that was not completed is not dispatched', () => {
    expect(parsed('data: half\n')).toEqual([]);
  });
});
