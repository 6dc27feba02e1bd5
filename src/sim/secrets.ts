/** Secure aggregation in a simulation: secrets that can be repeated, and key agreements that are made once for both ends. */
import { x25519 } from '@noble/curves/ed25519.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { stream } from '../base/random.ts';
import type { Primitives } from '../privacy/secure/keys.ts';

/** From the seed, so that a run can be repeated: good for a simulation and for nothing else. */
export function simulatedSecret(seed: number, id: string): Uint8Array {
  const random = stream(seed, 'secure entropy', 0, id);
  return new Uint8Array(new Uint32Array(8).map(() => random.u32()).buffer);
}

/**
 * The same answers, remembered: in one process every signature would be checked, and every key agreed on, as often as there
 * are participants. Both ends of a pair agree on the same secret, so one computation serves both.
 */
export function rememberingPrimitives({ agree, verify }: Primitives): Primitives {
  const checked = new Map<string, boolean>();
  const agreed = new Map<string, Uint8Array>();
  const publicKeys = new Map<string, string>();
  const publicKeyOf = (secretKey: Uint8Array) =>
    remembered(publicKeys, bytesToHex(secretKey), () => bytesToHex(x25519.getPublicKey(secretKey)));
  return {
    agree(secretKey, publicKey) {
      const pair = [publicKeyOf(secretKey), bytesToHex(publicKey)].sort().join();
      return remembered(agreed, pair, () => agree(secretKey, publicKey));
    },
    verify(signature, message, publicKey) {
      const question = [signature, message, publicKey].map(bytesToHex).join();
      return remembered(checked, question, () => verify(signature, message, publicKey));
    },
  };
}

function remembered<T>(known: Map<string, T>, name: string, compute: () => T): T {
  const found = known.get(name);
  if (found !== undefined) return found;
  const value = compute();
  known.set(name, value);
  return value;
}
