/**
 * A real proxy for tests: CONNECT and nothing else. As proxies do, it finds names itself, and finds all of them on this machine; so a
 * test reaches its server under a name that nothing else here knows, and what does not take the proxy fails.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect as dial, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

interface ProxyRules {
  /** Of anybody; undefined: it asks for none. */
  readonly password?: string | undefined;
  /** An https proxy. */
  readonly tls?: ServerOptions | undefined;
}

export class ConnectProxy {
  /** host:port of all tunnels that were opened. */
  readonly tunnels: string[] = [];
  /** Requests that were not for a tunnel. */
  others = 0;
  /** Answers to the next requests, before anything else is looked at; 0: none at all. */
  readonly refusals: number[] = [];
  private readonly server: Server;
  private readonly rules: ProxyRules;
  private readonly open = new Set<Duplex>();
  private port = 0;

  private constructor(rules: ProxyRules) {
    this.rules = rules;
    this.server = rules.tls ? createSecureServer(rules.tls) : createServer();
    this.server.on('connection', (socket) => this.keep(socket));
    this.server.on('connect', (request, socket, head) => this.onConnect(request, socket, head));
    this.server.on('request', (_request, response) => {
      this.others++;
      response.writeHead(405).end();
    });
  }

  static async start(rules: ProxyRules = {}): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(rules);
    await proxy.listen();
    return proxy;
  }

  /** Again at the port that it had. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** How it appears in messages. */
  get url(): string {
    return `${this.rules.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  urlFor(user: string, password = this.rules.password ?? ''): string {
    return this.url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
  }

  /** The address of a server on loopback, by a name that only this proxy knows. */
  named(url: string): string {
    return url.replace('127.0.0.1', 'kindred.test');
  }

  /** Cuts every tunnel. */
  cut(): void {
    for (const socket of this.open) socket.destroy();
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  private keep(socket: Duplex): void {
    this.open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.open.delete(socket));
  }

  private onConnect(request: IncomingMessage, client: Duplex, head: Buffer): void {
    this.keep(client);
    const refusal = this.refusals.shift();
    if (refusal === 0) return;
    const isKnown = this.isKnown(request.headers['proxy-authorization']);
    if (refusal !== undefined || !isKnown) {
      refuse(client, refusal ?? 407);
      return;
    }
    const target = request.url ?? '';
    const server: Socket = dial(Number(target.split(':').at(-1)), '127.0.0.1', () => {
      this.tunnels.push(target);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.write(head);
      client.pipe(server).pipe(client);
    });
    this.keep(server);
    // A proxy that cannot reach the server says so.
    server.on('error', () => refuse(client, 502));
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
  }

  private isKnown(authorization = ''): boolean {
    const { password } = this.rules;
    if (password === undefined) return true;
    const [kind, pair] = authorization.split(' ');
    const given = Buffer.from(pair ?? '', 'base64').toString();
    return kind === 'Basic' && given.slice(given.indexOf(':') + 1) === password;
  }
}

function refuse(client: Duplex, status: number): void {
  if (client.writable) client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
}
