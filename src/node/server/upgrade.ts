/** From an HTTP request with a ticket to a participant's connection: strangers never get a WebSocket. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../protocol/joining.ts';
import { ApiError, answerSocket, refusalOf } from './api-error.ts';
import type { Entrance } from './door.ts';
import type { ServerLimits } from './limits.ts';
import { type AppContext, checkRunning } from './routes/route.ts';

const CONNECT_PATH = /^\/v1\/federations\/([^/?]+)\/connect$/;

interface UpgradeOptions {
  readonly limits: ServerLimits;
  onConnected(socket: Duplex, entrance: Entrance): void;
  /** `error` is what went wrong, in more detail than the refusal. */
  onRefused(refusal: ApiError, error: Error): void;
}

export function acceptUpgrades(server: Server, context: AppContext, options: UpgradeOptions): void {
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
    admit(request, context, (entrance) =>
      sockets.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
        options.onConnected(socket, entrance);
        entrance.connect(webSocket);
      }),
    ).catch((error: Error) => refuse(socket, error));
  });
}

async function admit(
  request: IncomingMessage,
  context: AppContext,
  connect: (entrance: Entrance) => void,
): Promise<void> {
  context.access.checkOrigin(request);
  const [, name] = CONNECT_PATH.exec(request.url ?? '') ?? [];
  if (name === undefined) throw new ApiError('NOT_FOUND', 'no WebSocket at this path');
  checkRunning(context);
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((text) => text.trim());
  if (!offered.includes(SUBPROTOCOL)) {
    context.otherVersions.note(offered[0]);
    throw new ApiError('BAD_VERSION', `subprotocol: expected ${SUBPROTOCOL}, got ${offered[0] || 'none'}`);
  }
  const code = offered.find((text) => text.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length) ?? '';
  const isGood = await context.door.enter(decoded(name), code, (entrance) => {
    checkRunning(context);
    connect(entrance);
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
