/** Network addresses: which are of this machine alone, and which belong to one owner. */
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** An IP address of loopback (also IPv4 within IPv6), or `localhost`; a name that only begins like one is none. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const version = isIP(host);
  return version !== 0 && LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** IPv4 within IPv6 is the same address. */
export function plainAddress(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  return mapped ?? address.toLowerCase();
}

/** By whom limits count: a single IPv4 address, or the 64 bits of an IPv6 address that one customer has all of. */
export function addressOwner(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  return `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/** The 4 or 16 bytes of an IP address. */
export function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split('.'), Number);
  // URLs write an IPv4 address at the end in groups, too.
  const { hostname } = new URL(`http://[${address.split('%')[0]}]`);
  const groups = groupsOf(hostname.slice(1, -1)).map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** The eight groups of an IPv6 address, those in "::" too. */
function groupsOf(address: string): string[] {
  const [head, tail] = address.split('%')[0].split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0');
  return [...groups, ...zeros, ...after];
}
