/** Which connections take a proxy, by the variables that other programs know as well. */
import { describe, expect, test } from 'vitest';
import type { KindredError } from '../../../src/base/errors.ts';
import { type Environment, proxyFor } from '../../../src/node/proxy/proxy-choice.ts';

const labelFor = (url: string, env: Environment) => proxyFor(new URL(url), env)?.label;
const [WEB, SECURE, ALL] = ['http://web:3128', 'http://secure:3128', 'http://all:3128'];

describe('the variable that counts', () => {
  const all = { HTTP_PROXY: WEB, HTTPS_PROXY: SECURE, ALL_PROXY: ALL };

  test.each([
    ['http://host', all, WEB],
    ['ws://host', all, WEB],
    ['https://host', all, SECURE],
    ['wss://host', all, SECURE],
    ['https://host', { HTTP_PROXY: WEB }, undefined],
    ['http://host', { HTTPS_PROXY: SECURE }, undefined],
    ['https://host', { ALL_PROXY: ALL }, ALL],
    ['ws://host', { all_proxy: ALL }, ALL],
    ['https://host', { https_proxy: WEB, HTTPS_PROXY: SECURE }, WEB],
    ['https://host', { https_proxy: '', HTTPS_PROXY: ' ' }, undefined],
    ['https://host', { HTTPS_PROXY: '', ALL_PROXY: ALL }, ALL],
    ['https://host', { ...all, KINDRED_PROXY: 'http://own' }, 'http://own'],
    ['https://host', {}, undefined],
  ])('%s with %j', (url, env, expected) => {
    expect(labelFor(url, env)).toBe(expected);
  });

  test('is that of this process where none is given', () => {
    const before = process.env.KINDRED_PROXY;
    process.env.KINDRED_PROXY = 'http://of-the-process:1';
    try {
      expect(proxyFor(new URL('https://host'))?.label).toBe('http://of-the-process:1');
    } finally {
      if (before === undefined) delete process.env.KINDRED_PROXY;
      else process.env.KINDRED_PROXY = before;
    }
  });
});

describe('loopback', () => {
  const addresses = ['127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost'];

  test.each(addresses)('%s takes no proxy but one that is for Kindred alone', (host) => {
    const url = `http://${host}:7070`;
    expect(labelFor(url, { HTTP_PROXY: WEB, ALL_PROXY: ALL })).toBeUndefined();
    expect(labelFor(url, { KINDRED_PROXY: WEB })).toBe(WEB);
    expect(labelFor(url, { KINDRED_PROXY: WEB, NO_PROXY: '*' })).toBeUndefined();
  });
});

describe('NO_PROXY', () => {
  test.each([
    ['*', 'https://host', true],
    ['host', 'https://host', true],
    ['HOST', 'https://host', true],
    ['host', 'https://host.', true],
    ['host', 'https://ahost', false],
    ['example.org', 'https://a.example.org', true],
    ['.example.org', 'https://a.b.example.org', true],
    ['.example.org', 'https://example.org', true],
    ['*.example.org', 'https://a.example.org', true],
    ['example.org', 'https://badexample.org', false],
    ['example.org', 'https://example.org.evil', false],
    ['host:443', 'https://host', true],
    ['host:80', 'https://host', false],
    ['host:7070', 'http://host:7070', true],
    ['10.0.0.0/8', 'http://10.1.2.3', true],
    ['10.0.0.0/8', 'http://11.1.2.3', false],
    ['10.0.0.0/99', 'http://10.1.2.3', false],
    ['10.1.2.3', 'http://10.1.2.3:7070', true],
    ['10.1.2.3:7070', 'http://10.1.2.3:7070', true],
    ['10.1.2.3:80', 'http://10.1.2.3:7070', false],
    ['10.0.0.0/8', 'http://host', false],
    ['2001:db8::/32', 'http://[2001:db8::5]', true],
    ['[2001:db8::5]:80', 'http://[2001:db8::5]', true],
    ['2001:db8::5', 'http://[2001:db8::6]', false],
    ['other, host', 'https://host', true],
    ['other host', 'https://host', true],
    [',,', 'https://host', false],
    ['.', 'https://host', false],
  ])('%s: %s goes straight: %s', (rules, url, isStraight) => {
    expect(labelFor(url, { ALL_PROXY: ALL, NO_PROXY: rules }) === undefined).toBe(isStraight);
    expect(labelFor(url, { ALL_PROXY: ALL, no_proxy: rules }) === undefined).toBe(isStraight);
  });
});

describe('the address of a proxy', () => {
  test.each([
    ['proxy:3128', 'http://proxy:3128', 'proxy', 3128, undefined],
    ['http://proxy', 'http://proxy', 'proxy', 80, undefined],
    ['https://proxy/', 'https://proxy', 'proxy', 443, undefined],
    ['http://[::1]:1', 'http://[::1]:1', '::1', 1, undefined],
    ['http://ada:s%40fe@proxy:1', 'http://proxy:1', 'proxy', 1, 'ada:s@fe'],
    ['ada:pass@proxy:1', 'http://proxy:1', 'proxy', 1, 'ada:pass'],
    ['http://ada@proxy:1', 'http://proxy:1', 'proxy', 1, 'ada:'],
  ])('%s', (text, label, host, port, credentials) => {
    const proxy = proxyFor(new URL('https://host'), { HTTPS_PROXY: text })!;
    expect(proxy).toMatchObject({ label, host, port, isSecure: label.startsWith('https:') });
    const given = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    expect(proxy.authorization).toBe(given);
  });

  test.each([
    'socks5://ada:secret@proxy:1080',
    'http://',
    'http://ada:%zzsecret@proxy',
    'http://a b:secret@',
  ])('%s is refused by the name of its variable, without a secret', (text) => {
    let error: KindredError | undefined;
    try {
      proxyFor(new URL('https://host'), { https_proxy: text });
    } catch (thrown) {
      error = thrown as KindredError;
    }
    expect(error).toMatchObject({ code: 'BAD_PROXY', kind: 'input' });
    expect(error!.message).toMatch(/^https_proxy: expected an address such as/);
    expect(error!.message).not.toContain('secret');
  });
});
