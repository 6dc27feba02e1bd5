/**
 * A certificate for a server that has none: X.509 v3 (RFC 5280), ECDSA on P-256. It is signed by an authority that is made for it alone and whose
 * private key is thrown away at once: phones trust nothing but authorities, and an authority whose key lay on a server could
 * speak for every site on the phones that trust it. This one can never sign again, and says for which names it is good.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { addressBytes } from './addresses.ts';
import {
  bitString,
  explicit,
  implicit,
  integer,
  namedBits,
  octetString,
  oid,
  sequence,
  set,
  TRUE,
  time,
  utf8,
} from './der.ts';

const DAY_MS = 24 * 3_600_000;
/** Browsers refuse certificates that are valid for longer than 398 days. */
const VALID_MS = 397 * DAY_MS;
/** Clocks of phones may be slow. */
const BEFORE_MS = DAY_MS;

/** The authority's name, by which a device lists it, begins with this. */
export const AUTHORITY = 'Kindred';

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** Bits of `keyUsage`. */
const DIGITAL_SIGNATURE = 0;
const KEY_CERT_SIGN = 5;

/** Tags of a general name. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

export interface OwnCertificate {
  /** The certificate and the authority's, PEM. */
  readonly certificate: string;
  /** PKCS #8, PEM. */
  readonly key: string;
}

/** `names`: DNS names and IP addresses that the server is reached by; the first one is the certificate's own. */
export function makeCertificate(names: readonly string[], nowMs: number): OwnCertificate {
  const [authority, server] = [newKeys(), newKeys()];
  const issuer = nameOf(`${AUTHORITY} ${new Date(nowMs).toISOString().slice(0, 10)} ${names[0]}`);
  const shared = { issuer, signer: authority, nowMs };
  const root = signed({
    ...{ ...shared, subject: issuer, owner: authority },
    extensions: [
      extension(OID.basicConstraints, 'critical', sequence(TRUE, integer(Buffer.from([0])))),
      extension(OID.keyUsage, 'critical', namedBits(KEY_CERT_SIGN)),
      // Not critical: a device that does not know it may ignore it, as the key is gone anyway.
      extension(OID.nameConstraints, 'optional', sequence(permitted(names))),
    ],
  });
  const leaf = signed({
    ...{ ...shared, subject: nameOf(names[0]), owner: server },
    extensions: [
      extension(OID.basicConstraints, 'critical', sequence()),
      extension(OID.keyUsage, 'critical', namedBits(DIGITAL_SIGNATURE)),
      extension(OID.extKeyUsage, 'optional', sequence(oid(OID.serverAuth))),
      extension(OID.subjectAltName, 'optional', sequence(...names.map(generalName))),
    ],
  });
  return {
    certificate: `${pem(leaf)}${pem(root)}`,
    key: String(server.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

interface Keys {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly identifier: Buffer;
}

function newKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const info = publicKey.export({ type: 'spki', format: 'der' });
  return { privateKey, publicKey: info, identifier: createHash('sha1').update(info).digest() };
}

interface Unsigned {
  readonly issuer: Buffer;
  readonly signer: Keys;
  readonly subject: Buffer;
  readonly owner: Keys;
  readonly nowMs: number;
  readonly extensions: readonly Buffer[];
}

function signed({ issuer, signer, subject, owner, nowMs, extensions }: Unsigned): Buffer {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const version3 = explicit(0, integer(Buffer.from([2])));
  // The highest bit is unset and the next one set: 16 bytes for certain.
  const serial = randomBytes(16);
  serial[0] = (serial[0] & 0x3f) | 0x40;
  const from = nowMs - BEFORE_MS;
  const body = sequence(
    version3,
    integer(serial),
    algorithm,
    issuer,
    // Both ends count.
    sequence(time(from), time(from + VALID_MS - 1000)),
    subject,
    owner.publicKey,
    explicit(
      3,
      sequence(
        ...extensions,
        extension(OID.subjectKeyIdentifier, 'optional', octetString(owner.identifier)),
        extension(OID.authorityKeyIdentifier, 'optional', sequence(implicit(0, signer.identifier))),
      ),
    ),
  );
  return sequence(body, algorithm, bitString(sign('sha256', body, signer.privateKey)));
}

function nameOf(commonName: string): Buffer {
  // Their length is limited by X.520.
  return sequence(set(sequence(oid(OID.commonName), utf8(commonName.slice(0, 64)))));
}

function extension(id: string, weight: 'critical' | 'optional', content: Buffer): Buffer {
  return weight === 'critical'
    ? sequence(oid(id), TRUE, octetString(content))
    : sequence(oid(id), octetString(content));
}

function generalName(name: string): Buffer {
  return isIP(name)
    ? implicit(IP_ADDRESS, addressBytes(name))
    : implicit(DNS_NAME, Buffer.from(name.toLowerCase()));
}

/** These names and what is below them; single addresses, as a range with a mask of ones. */
function permitted(names: readonly string[]): Buffer {
  const subtrees = names.map((name) => {
    if (!isIP(name)) return sequence(generalName(name));
    const address = addressBytes(name);
    return sequence(implicit(IP_ADDRESS, Buffer.concat([address, Buffer.alloc(address.length, 0xff)])));
  });
  return explicit(0, ...subtrees);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
