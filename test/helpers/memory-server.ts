/** A server and the way to it within one process: admission with real signatures, and channels that hand frames over. */
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import type { Eventually } from '../../src/base/ports.ts';
import type { ClientTransportUnderTest } from '../../src/check/contracts/client-transport.ts';
import type { ChannelEvents, Reply, StateStore, Transport } from '../../src/client/ports.ts';
import { newKeyPair, signerOf } from '../../src/node/crypto.ts';
import { joinStatement } from '../../src/protocol/joining.ts';
import { PROTOCOL_VERSION } from '../../src/protocol/messages.ts';

/** A store whose saves take a while: whatever is synchronous about others is not to be relied on. */
export function slowStore(store: StateStore): StateStore {
  let last = Promise.resolve();
  const slowly = (act: () => Eventually<void>) => {
    last = last.then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await act();
    });
    return last;
  };
  return {
    place: store.place,
    get file() {
      return store.file;
    },
    save: (changes) => slowly(() => store.save(changes)),
    rewrite: (changes) => slowly(() => store.rewrite(changes)),
    release: async () => {
      await last;
      await store.release();
    },
  };
}

type Body = Readonly<Record<string, string>>;

export class MemoryServer {
  readonly federation = { name: 'default', id: randomUUID() };
  /** Called with what a participant sends. */
  onFrame: (participant: string, frame: Uint8Array) => void = () => {};
  private readonly tickets = new Map<string, string>();
  private readonly channels = new Map<string, ChannelEvents>();

  readonly transport: Transport = {
    label: 'memory',
    origin: 'memory://',
    request: async (step, body, signal) => {
      if (signal.aborted) throw new Error('aborted');
      return step === 'challenge' ? this.challenge() : this.session(body as Body);
    },
    connect: (ticket, events) => {
      const participant = this.tickets.get(ticket);
      this.tickets.delete(ticket);
      const isOpen = () => participant !== undefined && this.channels.get(participant) === events;
      const end = () => {
        if (isOpen()) this.channels.delete(participant!);
      };
      setImmediate(() => {
        if (participant === undefined) return events.failed(new Error('no such ticket'));
        this.channels.set(participant, events);
        events.opened();
      });
      return {
        send: (frame) => {
          if (!isOpen()) return false;
          const copy = frame.slice();
          setImmediate(() => this.onFrame(participant!, copy));
          return true;
        },
        drop: end,
        close: end,
      };
    },
  };

  get connected(): number {
    return this.channels.size;
  }

  send(participant: string, frame: Uint8Array): void {
    const events = this.channels.get(participant);
    const copy = frame.slice();
    setImmediate(() => {
      if (events && this.channels.get(participant) === events) events.frame(copy);
    });
  }

  disconnect(participant: string, code: number): void {
    const events = this.channels.get(participant);
    this.channels.delete(participant);
    events?.closed(code, '');
  }

  underTest(): ClientTransportUnderTest {
    const frames: Uint8Array[] = [];
    let wake = () => {};
    this.onFrame = (_participant, frame) => {
      frames.push(frame);
      wake();
    };
    return {
      transport: this.transport,
      signer: signerOf(newKeyPair()),
      send: (frame) => this.send('ada', frame),
      received: async () => {
        while (frames.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        return frames.shift()!;
      },
      disconnect: (code) => this.disconnect('ada', code),
      gone: () => {},
      close: () => {},
    };
  }

  private challenge(): Reply {
    const body = { challenge: randomUUID(), federation: this.federation, protocol: PROTOCOL_VERSION };
    return { status: 200, body };
  }

  private session(body: Body): Reply {
    if (!this.isSigned(body))
      return { status: 401, body: { error: { code: 'BAD_SIGNATURE', message: 'not signed' } } };
    const ticket = randomUUID();
    this.tickets.set(ticket, body.participant);
    return { status: 200, body: { ticket } };
  }

  private isSigned(body: Body): boolean {
    const { participant, key, challenge, server, schema, invitation = '', signature } = body;
    if (!signature || server !== this.transport.origin) return false;
    const federation = this.federation.id;
    const statement = joinStatement({ federation, participant, key, challenge, server, schema, invitation });
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    return verify(null, statement, publicKey, Buffer.from(signature, 'base64url'));
  }
}
