/** A tunnel through a proxy (CONNECT, RFC 9110 section 9.3.6), for http and ws as for https and wss: the proxy sees bytes, or with TLS nothing. */
import { type ClientRequestArgs, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { type SecureContextOptions, connect as startTls } from 'node:tls';
import { inputError, KindredError } from '../../base/errors.ts';
import { type HttpProxy, targetOf } from './proxy-choice.ts';

/** Of the whole way: to the proxy, and from there to the server. */
const PATIENCE_MS = 15_000;

export interface Tunnel {
  readonly url: URL;
  readonly proxy: HttpProxy;
  /** Of the server at its end: the proxy itself is trusted by the usual authorities. */
  readonly tls?: SecureContextOptions | undefined;
  /** Gives up. */
  readonly signal?: AbortSignal | undefined;
}

type CreateConnection = NonNullable<ClientRequestArgs['createConnection']>;

/** For the options of a request or a WebSocket. What fails reaches its 'error' event. */
export function createConnectionThrough(tunnel: Tunnel): CreateConnection {
  return ({ timeout = 0 }, created) => {
    openTunnel(tunnel).then(
      // Node sets the time-out of a request only on sockets that it has opened itself.
      (socket) => created(null, socket.setTimeout(timeout)),
      // Node asks for no socket here, its types do.
      (error: Error) => created(error, undefined as unknown as Socket),
    );
    return undefined;
  };
}

/** Connected to the server; with TLS begun where the address asks for it. */
async function openTunnel({ url, proxy, tls, signal }: Tunnel): Promise<Socket> {
  const { host, port } = targetOf(url);
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const socket = await dial(proxy, target, signal);
  if (url.protocol === 'http:' || url.protocol === 'ws:') return socket;
  return startTls({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...tls });
}

function dial(proxy: HttpProxy, target: string, signal: AbortSignal | undefined): Promise<Socket> {
  const { host, port, authorization, isSecure } = proxy;
  const headers = {
    host: target,
    ...(authorization !== undefined && { 'proxy-authorization': authorization }),
  };
  return new Promise((resolve, reject) => {
    const options = { host, port, method: 'CONNECT', path: target, headers, agent: false as const, signal };
    // Without a name of its own the certificate would be checked against the Host header, which is that of the target.
    const servername = isIP(host) === 0 ? host : '';
    const request = isSecure ? secureRequest({ ...options, servername }) : plainRequest(options);
    const late = setTimeout(
      () => request.destroy(new Error(`no answer for ${PATIENCE_MS / 1000} s`)),
      PATIENCE_MS,
    );
    request.on('close', () => clearTimeout(late));
    request.on('error', (error) => reject(failureOf(proxy, error)));
    request.on('connect', (response, socket: Socket, head) => {
      clearTimeout(late);
      const refusal = refusalOf(proxy, target, response);
      if (refusal) {
        socket.destroy();
        return reject(refusal);
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

/** Trying again helps against what is of kind 'run'. */
function refusalOf(proxy: HttpProxy, target: string, { statusCode = 0 }: IncomingMessage) {
  const { label, variable, authorization } = proxy;
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (statusCode === 407)
    return inputError(
      'PROXY_AUTHENTICATION',
      authorization === undefined
        ? `proxy ${label}: expected a user and a password (status 407), ${variable} has none`
        : `proxy ${label}: refused the user and the password of ${variable} (status 407)`,
    );
  return new KindredError(
    'PROXY_REFUSED',
    `proxy ${label}: expected a tunnel to ${target}, got status ${statusCode}; if the way is to be without a proxy, list the host in NO_PROXY`,
    statusCode >= 500 || statusCode === 429 ? 'run' : 'input',
  );
}

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS|ERR_SSL|EPROTO/;

function failureOf({ label, variable }: HttpProxy, error: Error & { code?: string }): KindredError {
  const why = error.message || error.code;
  if (UNTRUSTED.test(error.code ?? ''))
    return inputError(
      'PROXY_NOT_TRUSTED',
      `proxy ${label} (${variable}): expected a trusted TLS connection, got ${why}; NODE_EXTRA_CA_CERTS names a file of trusted certificates`,
    );
  return new KindredError(
    'PROXY_UNREACHABLE',
    `proxy ${label} (${variable}): could not be reached (${why})`,
    'run',
  );
}
