/**
 * What every `Transport` of a coordinator must do. It may lose, double and reorder on a bad network; here it is given a good
 * one, on which what is sent to somebody who is connected arrives there, and nowhere else, byte by byte.
 */
import type { Eventually } from '../../base/ports.ts';
import type { Transport } from '../../host/ports.ts';
import { decodeFrom, encode } from '../../protocol/codec.ts';
import type { ToCoordinator, ToParticipant } from '../../protocol/messages.ts';
import { type Define, expectEqual, withOpened } from './contract.ts';

/** The other end of a transport. */
export interface Peer {
  send(frame: Uint8Array): Eventually<void>;
  /** The next frame that arrives. */
  next(): Eventually<Uint8Array>;
  disconnect(): Eventually<void>;
}

export interface Received {
  readonly from: string;
  readonly message: ToCoordinator;
}

export interface TransportUnderTest {
  readonly transport: Transport;
  connect(participant: string): Eventually<Peer>;
  /** The next message that the host is given. */
  received(): Eventually<Received>;
  close(): Eventually<void>;
}

export function transportContract(define: Define, open: () => Eventually<TransportUnderTest>): void {
  const test = withOpened(define, open);

  test('a frame arrives as it was sent, and only where it was sent', async ({ transport, connect }) => {
    const [ada, ben] = [await connect('ada'), await connect('ben')];
    send(transport, 'ada', 1);
    send(transport, 'ben', 2);
    expectEqual(await nextOutcome(ada), frameOf(1), 'what ada receives');
    expectEqual(await nextOutcome(ben), frameOf(2), 'what ben receives');
  });

  test('one frame may go to several, and is not changed', async ({ transport, connect }) => {
    const peers = [await connect('ada'), await connect('ben'), await connect('cyd')];
    const frame = frameOf(3);
    for (const to of ['ada', 'ben', 'cyd']) transport.send(to, frame, 'outcome');
    for (const peer of peers) expectEqual(await nextOutcome(peer), frameOf(3), 'what each receives');
    expectEqual(frame, frameOf(3), 'the frame');
  });

  test('a frame for somebody who is not connected is dropped', async ({ transport, connect }) => {
    send(transport, 'ada', 1);
    const ada = await connect('ada');
    send(transport, 'ada', 2);
    expectEqual(await nextOutcome(ada), frameOf(2), 'what ada receives');
    send(transport, 'nobody', 3);
  });

  test('whoever comes back receives what is sent from then on', async ({ transport, connect }) => {
    const first = await connect('ada');
    send(transport, 'ada', 1);
    expectEqual(await nextOutcome(first), frameOf(1), 'what ada receives');
    await first.disconnect();
    send(transport, 'ada', 2);
    const second = await connect('ada');
    send(transport, 'ada', 3);
    expectEqual(await nextOutcome(second), frameOf(3), 'what ada receives when she is back');
  });

  test('what a participant sends reaches the host under its name', async ({ connect, received }) => {
    const [ada, ben] = [await connect('ada'), await connect('ben')];
    const [fromAda, fromBen] = [leave(7), leave(8)];
    await ada.send(encode(fromAda, 'f64'));
    expectEqual(await received(), { from: 'ada', message: fromAda }, 'what the host receives');
    await ben.send(encode(fromBen, 'f64'));
    expectEqual(await received(), { from: 'ben', message: fromBen }, 'what the host receives');
  });

  test('bytes that are not a message do not reach the host, and harm nobody', async ({
    transport,
    connect,
    received,
  }) => {
    const [ada, ben] = [await connect('ada'), await connect('ben')];
    await ada.send(Uint8Array.of(1, 2, 3));
    await ben.send(encode(leave(5), 'f64'));
    expectEqual(await received(), { from: 'ben', message: leave(5) }, 'what the host receives');
    send(transport, 'ada', 4);
    expectEqual(await nextOutcome(ada), frameOf(4), 'what ada receives');
  });
}

/** Of a kind that no coordinator sends by itself here. */
function frameOf(round: number): Uint8Array {
  const message: ToParticipant = { kind: 'outcome', session: 1, round, accepted: { round } };
  return encode(message, 'f64');
}

function leave(session: number): ToCoordinator {
  return { kind: 'leave', session };
}

function send(transport: Transport, to: string, round: number): void {
  transport.send(to, frameOf(round), 'outcome');
}

/** A host may live behind the transport, and answer. */
async function nextOutcome(peer: Peer): Promise<Uint8Array> {
  for (;;) {
    const frame = await peer.next();
    if (decodeFrom('coordinator', frame).kind === 'outcome') return frame;
  }
}
