/** The floor of a round over WebSocket: clients that answer every message with a vector, and a server (barrier-server.ts) that adds up. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { threadFile } from '../threads/threads.ts';
import { CLIENT_OPTIONS, Openings } from './load-participant.ts';

export class Barrier {
  readonly openings = new Openings();
  private readonly child: ChildProcess;
  private readonly sockets: WebSocket[] = [];
  private readonly frame: Uint8Array;

  private constructor(child: ChildProcess, features: number) {
    this.child = child;
    this.frame = new Uint8Array(barrierFrameBytes(features));
  }

  /** All are connected when it comes back; nobody has sent anything yet. */
  static async start(clients: number, features: number): Promise<Barrier> {
    const program = fileURLToPath(threadFile('load/barrier-server'));
    const child = fork(program, [`${clients}`, `${features}`]);
    const barrier = new Barrier(child, features);
    try {
      const [port] = await once(child, 'message');
      for (let k = 0; k < clients; k++) await barrier.connect(`ws://127.0.0.1:${port}`);
      return barrier;
    } catch (error) {
      await barrier.stop();
      throw error;
    }
  }

  open(): void {
    for (const socket of this.sockets) socket.send(this.frame);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.terminate();
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }

  private async connect(url: string): Promise<void> {
    const socket = new WebSocket(url, CLIENT_OPTIONS);
    const isFirst = this.sockets.length === 0;
    this.sockets.push(socket);
    await once(socket, 'open');
    socket.on('message', () => {
      if (isFirst) this.openings.opened(this.openings.round + 1);
      socket.send(this.frame);
    });
  }
}

/** What goes back and forth at a barrier: a vector, and as many bytes before it as a real message has beside its own. */
export const BARRIER_VECTOR_AT = 104;

export function barrierFrameBytes(features: number): number {
  return BARRIER_VECTOR_AT + 8 * features;
}
