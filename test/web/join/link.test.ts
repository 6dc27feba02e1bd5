import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { federationIn, fragmentOf, isEmpty, parseLink } from '../../../src/web/join/link.ts';

describe('an invitation link', () => {
  test('brings token, name and a person of the demo data', () => {
    expect(parseLink('#invitation=aB-_9&name=Ada%20L&demo=har:7:3')).toEqual({
      invitation: 'aB-_9',
      name: 'Ada L',
      demo: { seed: 7, person: 3 },
    });
    expect(parseLink('#invitation=x')).toEqual({ invitation: 'x' });
  });

  test('what cannot be understood is left out', () => {
    for (const fragment of [
      '',
      '#',
      '#demo=har:1',
      '#demo=har:-1:2',
      '#demo=har:1:0',
      '#demo=uci:1:2',
      '#name=%20',
    ])
      expect(isEmpty(parseLink(fragment)), fragment).toBe(true);
    expect(isEmpty(parseLink(`#name=${'x'.repeat(600)}`))).toBe(true);
    expect(parseLink('#name=%zz&invitation=a')).toMatchObject({ invitation: 'a' });
  });

  test('reads back what it writes', () => {
    const name = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }).map((text) => text.trim());
    const number = fc.integer({ min: 1, max: 999_999 });
    fc.assert(
      fc.property(name, name, number, number, (invitation, participant, seed, person) => {
        fc.pre(invitation !== '' && participant !== '');
        const link = { invitation, name: participant, demo: { seed, person } };
        expect(parseLink(`#${fragmentOf(link)}`)).toEqual(link);
      }),
    );
  });
});

test('the federation is in the path', () => {
  expect(federationIn('/join/wards')).toBe('wards');
  expect(federationIn('/join/a%20b/')).toBe('a b');
  for (const path of ['/join/', '/join', '/', '/join/a/b', '/join/%zz'])
    expect(federationIn(path)).toBeUndefined();
});
