/** From an HTTP request with a ticket to a participant's connection: strangers never get a WebSocket. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../protocol/joining.ts';
import { ApiError, answerSocket, refusalOf } from './api-error.ts';
import type { Federation } from './federation.ts';
import type { ServerLimits } from './limits.ts';
import { checkRunning, type ServerContext } from './routes/route.ts';
import type { Ticket } from './tickets.ts';

const CONNECT_PATH = /^\/v1\/federations\/([^/?]+)\/connect$/;

interface UpgradeOptions {
  readonly limits: ServerLimits;
  onConnected(socket: Duplex, federation: Federation, participant: string): void;
  /** `error` is what went wrong, in more detail than the refusal. */
  onRefused(refusal: ApiError, error: Error): void;
}

export function acceptUpgrades(server: Server, context: ServerContext, options: UpgradeOptions): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Vectors of numbers do not shrink, and a compressed bomb would grow.
    perMessageDeflate: false,
    maxPayload: options.limits.maxFrameBytes,
    handleProtocols: () => SUBPROTOCOL,
  });
  const refuse = (socket: Duplex, error: Error) => {
    const { remoteAddress } = socket as Socket;
    const refusal = refusalOf(error);
    context.onRefused(refusal.code, remoteAddress);
    options.onRefused(refusal, error);
    answerSocket(socket, refusal);
  };
  sockets.on('wsClientError', (error, socket) =>
    refuse(socket, new ApiError('BAD_REQUEST', `connect: ${error.message}`)),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    admit(request, context, (federation, ticket) =>
      sockets.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
        options.onConnected(socket, federation, ticket.participant);
        federation.connect(webSocket, ticket);
      }),
    ).catch((error: Error) => refuse(socket, error));
  });
}

async function admit(
  request: IncomingMessage,
  context: ServerContext,
  connect: (federation: Federation, ticket: Ticket) => void,
): Promise<void> {
  context.access.checkOrigin(request);
  const [, name] = CONNECT_PATH.exec(request.url ?? '') ?? [];
  if (name === undefined) throw new ApiError('NOT_FOUND', 'no WebSocket at this path');
  checkRunning(context);
  const federation = context.federation(decoded(name));
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((text) => text.trim());
  if (!offered.includes(SUBPROTOCOL)) {
    throw new ApiError('BAD_VERSION', `subprotocol: expected ${SUBPROTOCOL}, got ${offered[0] || 'none'}`);
  }
  const code = offered.find((text) => text.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length) ?? '';
  const isGood = await context.admission.redeem(federation.name, code, (ticket) => {
    checkRunning(context);
    connect(federation, ticket);
  });
  if (!isGood)
    throw new ApiError(
      'TICKET_INVALID',
      'ticket: expected an unused, current ticket; request a session first',
    );
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
