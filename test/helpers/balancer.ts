/** A TCP load balancer before gateways: each connection goes to the next target that can be reached. Connections can be cut without a word. */
import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';

export class Balancer {
  targets: readonly number[];
  /** Nobody gets through, and nobody is told: as a partition. */
  isCut = false;
  /** On the way, each direction. */
  delayMs = 0;
  private next = 0;
  private readonly server: Server;
  private readonly open = new Set<Socket>();

  private constructor(targets: readonly number[]) {
    this.targets = targets;
    this.server = createServer({ noDelay: true }, (client) => this.forward(client));
  }

  static async start(...targets: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(targets);
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends all connections. */
  drop(): void {
    for (const socket of this.open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(client: Socket): void {
    this.keep(client);
    client.pause();
    this.reach(client, this.targets.length);
  }

  private reach(client: Socket, tries: number): void {
    const port = this.targets[this.next++ % Math.max(1, this.targets.length)];
    if (tries === 0 || port === undefined) return void client.destroy();
    const server = dial({ port, host: '127.0.0.1', noDelay: true });
    const onRefused = () => this.reach(client, tries - 1);
    server.once('error', onRefused);
    server.once('connect', () => {
      server.off('error', onRefused);
      this.keep(server);
      const pass = (from: Socket, to: Socket) => {
        from.on('data', (data) => this.pass(to, data));
        // After what is still on the way.
        from.on('close', () => setTimeout(() => to.destroy(), this.delayMs));
      };
      pass(client, server);
      pass(server, client);
      client.resume();
    });
  }

  private pass(to: Socket, data: Buffer): void {
    if (this.isCut) return;
    if (this.delayMs === 0) to.write(data);
    else setTimeout(() => to.writable && to.write(data), this.delayMs);
  }

  private keep(socket: Socket): void {
    this.open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.open.delete(socket));
  }
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
