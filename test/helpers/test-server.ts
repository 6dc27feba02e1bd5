/**
 * A small server that speaks the contract of joining and drives the real coordinator's machine in memory. It can misbehave:
 * refuse with any code, drop its connections, fall silent.
 */
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CoordinatorInput } from '../../src/coordinator/effects.ts';
import { step } from '../../src/coordinator/machine.ts';
import { type CoordinatorOptions, DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import type { CoordinatorState } from '../../src/coordinator/state.ts';
import type { StoredMember, StoredRun } from '../../src/coordinator/stored.ts';
import { newCoordinator, restoreCoordinator } from '../../src/coordinator/stored.ts';
import { contributionOf, sumOfContributions } from '../../src/coordinator/training.ts';
import type { SavedRun } from '../../src/host/ports.ts';
import { resolveOptions } from '../../src/methods/options.ts';
import { nodePrimitives } from '../../src/node/crypto.ts';
import { decodeFrom, encode } from '../../src/protocol/codec.ts';
import { joinStatement, SUBPROTOCOL, TICKET_PREFIX } from '../../src/protocol/joining.ts';
import { PROTOCOL_VERSION, type ToCoordinator } from '../../src/protocol/messages.ts';
import type { TrainOptions } from '../../src/settings/training.ts';

/** A federation that does what `train` does with these options. */
export function optionsLike(
  train: TrainOptions,
  changes: Partial<CoordinatorOptions> = {},
): CoordinatorOptions {
  const {
    objective,
    loss,
    c1,
    c2,
    epsilon,
    classWeight,
    scale,
    bias,
    passes,
    seed,
    aggregation,
    gap,
    rounds,
  } = resolveOptions(train, { source: '', targets: ['0', '1'], lines: undefined });
  return {
    ...DEFAULT_OPTIONS,
    ...{ objective, loss, c1, c2, epsilon, classWeight, scale, bias, passes, seed, aggregation },
    minParticipants: 1,
    retryMs: 500,
    stop: { ...DEFAULT_OPTIONS.stop, gap, rounds },
    ...changes,
  };
}

interface SessionBody {
  readonly participant: string;
  readonly key: string;
  readonly challenge: string;
  readonly server: string;
  readonly schema: string;
  readonly invitation?: string;
  readonly signature: string;
}

export class TestServer {
  readonly federation = { name: 'default', id: randomUUID() };
  readonly rows: RoundRow[] = [];
  /** The version that it says it speaks. */
  protocol = PROTOCOL_VERSION as number;
  /** Everything that was said, in order. */
  readonly heard: { readonly from: string; readonly message: ToCoordinator }[] = [];
  readonly sessions: SessionBody[] = [];
  state: CoordinatorState;
  /** Answers to the next requests, before anything else is looked at. */
  readonly refusals: { readonly status: number; readonly code: string }[] = [];
  requests = 0;
  pings = 0;
  /** Whatever happens: called after every step. */
  onStep: (() => void) | undefined;
  private readonly disk = {
    run: undefined as StoredRun | undefined,
    members: new Map<string, StoredMember>(),
  };
  private readonly http: Server;
  private readonly scheme: string;
  private readonly upgrades: WebSocketServer;
  private readonly sockets = new Map<string, WebSocket>();
  private readonly tickets = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  private constructor(options: CoordinatorOptions, tls: ServerOptions | undefined) {
    this.state = newCoordinator(options);
    const listen = (request: IncomingMessage, response: ServerResponse) =>
      void this.onRequest(request, response);
    this.http = tls ? createSecureServer(tls, listen) : createServer(listen);
    this.scheme = tls ? 'https' : 'http';
    this.upgrades = new WebSocketServer({ noServer: true, handleProtocols: () => SUBPROTOCOL });
    this.http.on('upgrade', (request, socket, head) => {
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/, */);
      const ticket = offered.find((name) => name.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length);
      const id = this.tickets.get(ticket ?? '');
      if (id === undefined) {
        socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      this.tickets.delete(ticket!);
      this.upgrades.handleUpgrade(request, socket, head, (open) => this.onSocket(id, open));
    });
  }

  static async start(
    options: CoordinatorOptions = DEFAULT_OPTIONS,
    tls?: ServerOptions,
  ): Promise<TestServer> {
    const server = new TestServer(options, tls);
    await new Promise<void>((resolve) => server.http.listen(0, '127.0.0.1', resolve));
    server.take({ type: 'start', now: performance.now() });
    return server;
  }

  /** What is on its disk; undefined: nothing yet. */
  saved(): SavedRun | undefined {
    const { run, members } = this.disk;
    return run && { run, members: [...members.values()] };
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  get connected(): number {
    return this.sockets.size;
  }

  /** The sum of all accepted contributions and everybody's part of it, as the coordinator knows them. */
  get books(): { readonly sum: Float64Array; readonly u: ReadonlyMap<string, Float64Array> } {
    const { state } = this;
    const members = [...state.members.values()];
    const known = members.map((member) => [member.id, contributionOf(state, member)!] as const);
    return { sum: sumOfContributions(state), u: new Map(known) };
  }

  /** As after a crash, with other options if any are given: from what is stored, with every connection gone. */
  restart(options: CoordinatorOptions = this.state.options): void {
    this.disconnect();
    this.state = restoreCoordinator(options, this.disk.run!, this.disk.members.values());
    this.take({ type: 'start', now: performance.now() });
  }

  /** As after the loss of its disk. */
  loseStore(options: CoordinatorOptions = this.state.options): void {
    this.disconnect();
    this.disk.run = undefined;
    this.disk.members.clear();
    this.state = newCoordinator(options);
    this.take({ type: 'start', now: performance.now() });
  }

  take(input: CoordinatorInput): void {
    for (const effect of step(this.state, input, nodePrimitives())) {
      if (effect.type === 'persist') {
        const { run, members, removed } = effect.changes;
        this.disk.run = run;
        for (const member of members) this.disk.members.set(member.id, member);
        for (const id of removed) this.disk.members.delete(id);
      } else if (effect.type === 'send') {
        this.sockets.get(effect.to)?.send(encode(effect.message, this.state.options.precision));
      } else if (effect.type === 'timer') {
        clearTimeout(this.timer);
        const waitMs = Math.min(effect.atMs - performance.now(), 2 ** 31 - 1);
        this.timer = setTimeout(() => this.take({ type: 'timer', now: performance.now() }), waitMs);
      } else if (effect.type === 'summation') {
        setTimeout(() => this.take({ type: 'summed', now: performance.now() }), effect.ms);
      } else if (effect.type === 'row') {
        this.rows.push(effect.row);
      }
    }
    this.onStep?.();
  }

  /** All connections, or one: without a word, or with a code. */
  disconnect(code?: number, only?: string): void {
    for (const [id, socket] of this.sockets) {
      if (only !== undefined && id !== only) continue;
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
  }

  say(to: string, bytes: Uint8Array): void {
    this.sockets.get(to)?.send(bytes);
  }

  /** As a machine that hangs: connections stay, nothing is answered. */
  fallSilent(): void {
    for (const socket of this.sockets.values()) socket.pause();
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    for (const socket of this.upgrades.clients) socket.terminate();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private onSocket(id: string, socket: WebSocket): void {
    this.sockets.get(id)?.close(4000);
    this.sockets.set(id, socket);
    socket.on('error', () => {});
    socket.on('ping', () => {
      this.pings++;
      this.onStep?.();
    });
    socket.on('close', () => {
      if (this.sockets.get(id) === socket) this.sockets.delete(id);
    });
    socket.on('message', (data) => {
      if ((data as Buffer).length === 0) {
        this.pings++;
        socket.send(data);
        this.onStep?.();
        return;
      }
      const message = decodeFrom('participant', new Uint8Array(data as Buffer));
      this.heard.push({ from: id, message });
      this.take({ type: 'message', from: id, message, now: performance.now() });
    });
  }

  private async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const body = JSON.parse(await textOf(request));
    const [, name, what] = /^\/v1\/federations\/([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const refusal = this.refusals.shift();
    const answer = (status: number, document: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document));
    };
    const refuse = (status: number, code: string) =>
      answer(status, { error: { code, message: `the test server says ${code}` } });
    if (refusal) return refuse(refusal.status, refusal.code);
    if (name !== this.federation.name) return refuse(404, 'NO_SUCH_FEDERATION');
    if (what === 'challenge')
      return answer(200, {
        challenge: randomUUID(),
        federation: this.federation,
        protocol: this.protocol,
      });
    this.sessions.push(body);
    if (!this.isSigned(body)) return refuse(401, 'BAD_SIGNATURE');
    const ticket = randomUUID();
    this.tickets.set(ticket, body.participant);
    answer(200, { ticket });
  }

  private isSigned(body: SessionBody): boolean {
    const { participant, key, challenge, server, schema, invitation = '', signature } = body;
    if (!signature) return false;
    const federation = this.federation.id;
    const statement = joinStatement({ federation, participant, key, challenge, server, schema, invitation });
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    return verify(null, statement, publicKey, Buffer.from(signature, 'base64url'));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
