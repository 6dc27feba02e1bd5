/** Every transport of a coordinator passes the same suite: the simulated network, and WebSocket on a real server. */
import { describe, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Peer,
  type Received,
  type TransportUnderTest,
  transportContract,
} from '../../src/check/contracts/transport.ts';
import { DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import { noblePrimitives } from '../../src/privacy/secure/keys.ts';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../src/protocol/joining.ts';
import { CoordinatorNode } from '../../src/sim/coordinator-node.ts';
import { EventQueue } from '../../src/sim/events.ts';
import { CrashPlan } from '../../src/sim/faults.ts';
import { Network, PERFECT_LINK } from '../../src/sim/network.ts';
import { Transcript } from '../../src/sim/transcript.ts';
import { ServerTest } from '../helpers/server.ts';
import { Keys, openSession } from '../helpers/ws-participant.ts';

/** What has come, for whoever waits for the next. */
class Inbox<T> {
  private readonly items: T[] = [];
  private readonly waiting: ((item: T) => void)[] = [];

  readonly push = (item: T): void => {
    const next = this.waiting.shift();
    if (next) next(item);
    else this.items.push(item);
  };

  readonly next = (): Promise<T> => {
    const item = this.items.shift();
    return item === undefined ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve(item);
  };
}

/** Sees the messages that a host is given. */
function recorderInto(received: Inbox<Received>) {
  return {
    started: () => {},
    step: (input: { type: string; from?: string; message?: unknown }) => {
      if (input.type === 'message') received.push({ from: input.from!, message: input.message } as Received);
    },
  };
}

function simulated(): TransportUnderTest {
  const queue = new EventQueue();
  const network = new Network(queue, 1, PERFECT_LINK, []);
  const received = new Inbox<Received>();
  const peers = new Map<string, Inbox<Uint8Array>>();
  const node = new CoordinatorNode(DEFAULT_OPTIONS, {
    queue,
    network,
    transcript: new Transcript('off'),
    crashes: new CrashPlan([], () => {}),
    toMember: (to, frame) => peers.get(to)?.push(frame),
    onRow: () => {},
    primitives: noblePrimitives,
    observerOf: () => recorderInto(received),
  });
  node.start();
  /** The virtual network delivers when its time passes. */
  const passTime = (): void => {
    while (queue.next(queue.now));
  };
  return {
    transport: {
      send: (to, frame, kind) => {
        node.transport.send(to, frame, kind);
        passTime();
      },
    },
    connect: (participant) => {
      const inbox = new Inbox<Uint8Array>();
      peers.set(participant, inbox);
      return {
        send: (frame) => {
          network.carry('up', participant, frame, (bytes) => node.receive(participant, bytes));
          passTime();
        },
        next: inbox.next,
        disconnect: () => void peers.delete(participant),
      };
    },
    received: received.next,
    close: () => node.crash(),
  };
}

const servers = new ServerTest();

async function webSocket(): Promise<TransportUnderTest> {
  const received = new Inbox<Received>();
  const server = await servers.start({ recorderFor: () => recorderInto(received) });
  const keys = new Map<string, Keys>();
  return {
    transport: server.federation('default'),
    connect: async (participant) => {
      keys.set(participant, keys.get(participant) ?? new Keys());
      const { json } = await openSession(server.url, { participant, keys: keys.get(participant)! });
      return connected(`${server.url.replace(/^http/, 'ws')}/v1/federations/default/connect`, json.ticket);
    },
    received: received.next,
    close: () => server.close(),
  };
}

function connected(url: string, ticket: string): Promise<Peer> {
  const socket = new WebSocket(url, [SUBPROTOCOL, `${TICKET_PREFIX}${ticket}`]);
  const inbox = new Inbox<Uint8Array>();
  socket.on('message', (data: Buffer) => inbox.push(new Uint8Array(data)));
  const peer: Peer = {
    send: (frame) => socket.send(frame),
    next: inbox.next,
    disconnect: () =>
      new Promise((resolve) => {
        socket.on('close', () => resolve());
        socket.close();
      }),
  };
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(peer));
    socket.on('error', reject);
  });
}

describe('the simulated network', () => transportContract(test, simulated));
describe('WebSocket', () => transportContract(test, webSocket));
