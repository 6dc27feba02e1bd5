/** A TCP proxy on loopback that can be cut: bytes wait, nobody is told, and they arrive when it is healed, as after a real partition. */
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export class TcpProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private waiting: Socket[] = [];
  private isCut = false;

  private readonly targetPort: number;

  private constructor(targetPort: number) {
    this.targetPort = targetPort;
    this.server = createServer({ noDelay: true }, (socket) => {
      this.keep(socket);
      if (this.isCut) this.waiting.push(socket.pause());
      else this.forward(socket);
    });
  }

  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  heal(): void {
    this.isCut = false;
    for (const socket of this.waiting.splice(0)) this.forward(socket);
    for (const socket of this.sockets) socket.resume();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private forward(client: Socket): void {
    const server = this.keep(dial({ port: this.targetPort, host: '127.0.0.1', noDelay: true }));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ]) {
      from.on('data', (bytes) => void to.write(bytes));
      from.on('close', () => to.destroy());
    }
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => void this.sockets.delete(socket));
  }
}

export async function proxyForTest(targetPort: number): Promise<TcpProxy> {
  const proxy = await TcpProxy.start(targetPort);
  onTestFinished(() => proxy.stop());
  return proxy;
}
