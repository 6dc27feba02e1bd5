/** A participant on a real socket that does the real handshake: signs with Node's crypto, sends and receives frames. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { decodeFrom, encode } from '../../src/protocol/codec.ts';
import { joinStatement, SUBPROTOCOL, schemaDigest, TICKET_PREFIX } from '../../src/protocol/joining.ts';
import type { ToCoordinator, ToParticipant } from '../../src/protocol/messages.ts';
import { ask, type Heard, post, type Tls } from './http.ts';

export class Keys {
  readonly publicKey: string;
  private readonly secret: KeyObject;

  constructor() {
    const { privateKey } = generateKeyPairSync('ed25519');
    this.secret = privateKey;
    this.publicKey = privateKey.export({ format: 'jwk' }).x!;
  }

  sign(statement: Uint8Array): string {
    return sign(null, statement, this.secret).toString('base64url');
  }
}

export interface Applicant {
  readonly participant: string;
  readonly keys?: Keys;
  readonly federation?: string;
  readonly invitation?: string;
  readonly agent?: string;
  /** Default: x1 and x2, whose names are told. */
  readonly features?: readonly string[];
  readonly tellNames?: boolean;
  readonly tls?: Tls;
  /** What it believes to have dialled; default: the truth. */
  readonly server?: string;
}

/** Step 1 and what step 2 is to send, for those who want to send it twice, or something else. */
export async function sessionRequest(url: string, applicant: Applicant): Promise<Record<string, unknown>> {
  const { participant, keys = new Keys(), invitation, features = ['x1', 'x2'], tellNames = true } = applicant;
  const base = `${url}/v1/federations/${applicant.federation ?? 'default'}`;
  const { json } = await ask(`${base}/challenge`, {
    method: 'POST',
    body: {},
    ...(applicant.tls && { tls: applicant.tls }),
  });
  const schema = schemaDigest(features);
  const { challenge, federation } = json;
  const { server = new URL(url).origin } = applicant;
  const statement = joinStatement({
    federation: federation.id,
    participant,
    key: keys.publicKey,
    challenge,
    server,
    schema,
    invitation: invitation ?? '',
  });
  return {
    participant,
    key: keys.publicKey,
    challenge,
    server,
    schema,
    ...(tellNames && { features }),
    ...(invitation !== undefined && { invitation }),
    ...(applicant.agent !== undefined && { agent: applicant.agent }),
    signature: keys.sign(statement),
  };
}

export async function openSession(url: string, applicant: Applicant): Promise<Heard> {
  const body = await sessionRequest(url, applicant);
  const path = `${url}/v1/federations/${applicant.federation ?? 'default'}/session`;
  return applicant.tls ? ask(path, { body, tls: applicant.tls }) : post(path, undefined, body);
}

/** All three steps; fails where a server refuses. */
export async function connected(url: string, applicant: Applicant): Promise<WsParticipant> {
  const { status, json, text } = await openSession(url, applicant);
  if (status !== 200) throw new Error(`session: ${status} ${text}`);
  const federation = applicant.federation ?? 'default';
  return WsParticipant.open(url, federation, json.ticket, applicant.tls);
}

/** Undefined: it got in; else the status it was refused with. */
export async function refusalOfTicket(url: string, ticket: string, federation = 'default') {
  try {
    const participant = await WsParticipant.open(url, federation, ticket);
    participant.close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export class WsParticipant {
  /** What has come, oldest first. */
  readonly heard: ToParticipant[] = [];
  /** Empty messages that came back. */
  pongs = 0;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  private readonly socket: WebSocket;
  private readonly listeners = new Set<(message: ToParticipant) => void>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      if (data.length === 0) {
        this.pongs++;
        return;
      }
      const message = decodeFrom('coordinator', new Uint8Array(data));
      this.heard.push(message);
      for (const listener of [...this.listeners]) listener(message);
    });
    this.closed = new Promise((resolve) => socket.on('close', resolve));
  }

  static open(url: string, federation: string, ticket: string, tls: Tls = {}): Promise<WsParticipant> {
    const address = `${url.replace(/^http/, 'ws')}/v1/federations/${federation}/connect`;
    const socket = new WebSocket(address, [SUBPROTOCOL, `${TICKET_PREFIX}${ticket}`], { ...tls });
    const participant = new WsParticipant(socket);
    return new Promise((resolve, reject) => {
      socket.on('open', () => resolve(participant));
      socket.on('error', reject);
    });
  }

  send(message: ToCoordinator): void {
    this.socket.send(encode(message, 'f64'));
  }

  sendRaw(data: Uint8Array | string): void {
    this.socket.send(data);
  }

  /** A part of a message that goes on. */
  sendPart(data: Uint8Array): void {
    this.socket.send(data, { fin: false });
  }

  ping(data: Uint8Array): void {
    this.socket.ping(data);
  }

  /** Past ws: what is no WebSocket frame, or a forbidden one. */
  sendBytes(bytes: Uint8Array): void {
    (this.socket as unknown as { readonly _socket: Socket })._socket.write(bytes);
  }

  onMessage(listener: (message: ToParticipant) => void): void {
    this.listeners.add(listener);
  }

  /** The first of this kind that has come or comes. */
  next<K extends ToParticipant['kind']>(kind: K): Promise<Extract<ToParticipant, { kind: K }>> {
    type Wanted = Extract<ToParticipant, { kind: K }>;
    const found = this.heard.find((message) => message.kind === kind);
    if (found) return Promise.resolve(found as Wanted);
    return new Promise((resolve) => {
      const listener = (message: ToParticipant) => {
        if (message.kind !== kind) return;
        this.listeners.delete(listener);
        resolve(message as Wanted);
      };
      this.listeners.add(listener);
    });
  }

  close(): void {
    this.socket.close();
  }

  /** Does not listen any more, not even to a goodbye. */
  deafen(): void {
    this.socket.pause();
  }

  terminate(): void {
    this.socket.terminate();
  }
}
