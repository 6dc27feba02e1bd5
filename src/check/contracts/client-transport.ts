/** What every `Transport` of a participant must do, on a good network: a bad one may lose frames, and channels at any time. */

import type { Eventually } from '../../base/ports.ts';
import { type Applicant, admit } from '../../client/admission.ts';
import type { Channel, Signer, Transport } from '../../client/ports.ts';
import { encode } from '../../protocol/codec.ts';
import { CLOSE, schemaDigest } from '../../protocol/joining.ts';
import { type Define, expectEqual, expectFailure, withOpened } from './contract.ts';

/** A transport, and the server at its other end: one that admits whoever has signed its challenge. */
export interface ClientTransportUnderTest {
  readonly transport: Transport;
  readonly signer: Signer;
  /** By the channel that was opened last. */
  send(frame: Uint8Array): Eventually<void>;
  /** The next frame that the server receives. */
  received(): Eventually<Uint8Array>;
  /** The server closes the channel. */
  disconnect(code: number): Eventually<void>;
  /** Fulfilled when the server has no channel any more. */
  gone(): Eventually<void>;
  close(): Eventually<void>;
}

type ChannelEvent =
  | { readonly type: 'opened' }
  | { readonly type: 'frame'; readonly bytes: Uint8Array }
  | { readonly type: 'failed' }
  | { readonly type: 'closed'; readonly code: number };

export function clientTransportContract(
  define: Define,
  open: () => Eventually<ClientTransportUnderTest>,
): void {
  const test = withOpened(define, open);

  test('a refusal comes as status and JSON', async ({ transport }) => {
    const { status, body } = await transport.request('session', { participant: 'ada' }, never());
    expectEqual(status >= 400 && status < 500, true, `status ${status} of a request without a signature`);
    expectEqual(typeof (body as { error?: { code?: unknown } })?.error?.code, 'string', 'its code');
  });

  test('a request that is aborted is rejected', async ({ transport }) => {
    const abort = new AbortController();
    abort.abort();
    await expectFailure(() => transport.request('challenge', {}, abort.signal), 'an aborted request');
  });

  test('a channel opens with a ticket, and carries frames both ways, whole and in order', async (under) => {
    const { channel, next } = await opened(under);
    for (const round of [1, 2, 3]) await under.send(frameOf(round));
    for (const round of [1, 2, 3])
      expectEqual(await next(), { type: 'frame', bytes: frameOf(round) }, 'what the participant receives');
    for (const session of [1, 2, 3]) expectEqual(channel.send(goodbye(session)), true, 'send');
    for (const session of [1, 2, 3])
      expectEqual(await under.received(), goodbye(session), 'what the server receives');
  });

  test('a ticket opens one channel, and one that the server did not give opens none', async (under) => {
    const { ticket } = await opened(under);
    for (const wrong of [ticket, 'made-up']) {
      const { next } = connected(under, wrong);
      expectEqual(await next(), { type: 'failed' }, 'a channel with a ticket that is not good');
    }
  });

  test('a channel that the server closes says with which code, and takes no more', async (under) => {
    const { channel, next } = await opened(under);
    await under.disconnect(CLOSE.revoked);
    expectEqual(await next(), { type: 'closed', code: CLOSE.revoked }, 'the last event');
    expectEqual(channel.send(goodbye(1)), false, 'send after the end');
  });

  for (const way of ['drop', 'close'] as const) {
    test(`after ${way} nothing comes and nothing goes, and the server notices`, async (under) => {
      const { channel, events } = await opened(under);
      const before = events.length;
      await channel[way]();
      await under.gone();
      expectEqual(channel.send(goodbye(1)), false, `send after ${way}`);
      expectEqual(events.length, before, `events after ${way}`);
    });
  }
}

/** A channel that is open, with a ticket of its own. */
async function opened(under: ClientTransportUnderTest) {
  const features = ['x1', 'x2'];
  const applicant: Applicant = {
    participant: 'ada',
    signer: under.signer,
    schema: schemaDigest(features),
    features,
    invitation: undefined,
    federation: undefined,
    place: 'nowhere',
  };
  const { ticket } = await admit(under.transport, applicant, never());
  const connection = connected(under, ticket);
  expectEqual(await connection.next(), { type: 'opened' }, 'the first event');
  return { ticket, ...connection };
}

function connected({ transport }: ClientTransportUnderTest, ticket: string) {
  const events: ChannelEvent[] = [];
  let read = 0;
  let wake = () => {};
  const note = (event: ChannelEvent) => {
    events.push(event);
    wake();
  };
  const channel: Channel = transport.connect(ticket, {
    opened: () => note({ type: 'opened' }),
    frame: (bytes) => note({ type: 'frame', bytes: bytes.slice() }),
    failed: () => note({ type: 'failed' }),
    closed: (code) => note({ type: 'closed', code }),
  });
  const next = async () => {
    while (read === events.length)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return events[read++];
  };
  return { channel, events, next };
}

function never(): AbortSignal {
  return new AbortController().signal;
}

function goodbye(session: number): Uint8Array {
  return encode({ kind: 'leave', session }, 'f64');
}

function frameOf(round: number): Uint8Array {
  return encode({ kind: 'reject', session: 1, code: 'NOT_JOINED', message: `${round}` }, 'f64');
}
