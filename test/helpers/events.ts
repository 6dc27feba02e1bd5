/** A listener of server-sent events on a real socket. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { FederationEvents, ServerEvents } from '../../src/node/server/live.ts';
import { until } from './server.ts';

type AllEvents = FederationEvents & ServerEvents;

export interface ServerEvent<E extends keyof AllEvents = keyof AllEvents> {
  readonly event: E;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it and fail if it is not what they expect
  readonly data: AllEvents[E] & any;
}

export class EventListener {
  readonly events: ServerEvent[] = [];
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  comments = 0;
  /** Whether the server has ended the stream, or the connection. */
  isOver = false;
  private readonly response: IncomingMessage;
  private rest = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.status = response.statusCode!;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.read(text));
    response.on('error', () => {});
    response.on('close', () => {
      this.isOver = true;
    });
  }

  static open(url: string, headers: Record<string, string> = {}): Promise<EventListener> {
    return new Promise((resolve, reject) => {
      const asked = request(url, { headers, agent: false });
      asked.on('error', reject);
      asked.on('response', (response) => resolve(new EventListener(response)));
      asked.end();
    });
  }

  of<E extends keyof AllEvents>(event: E): ServerEvent<E>[] {
    return this.events.filter((one) => one.event === event) as ServerEvent<E>[];
  }

  /** The last of these, once there is one that is as wanted. */
  async last<E extends keyof AllEvents>(
    event: E,
    isWanted: (data: ServerEvent<E>['data']) => boolean = () => true,
  ): Promise<ServerEvent<E>['data']> {
    const found = () => this.of(event).findLast(({ data }) => isWanted(data));
    await until(() => found() !== undefined, `event ${event}`);
    return found()!.data;
  }

  /** Reads nothing more, and takes nothing off the connection. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  close(): void {
    this.response.destroy();
  }

  private read(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) this.take(block.split('\n'));
  }

  private take(lines: readonly string[]): void {
    const fields = new Map(lines.map((line) => [line.split(': ', 1)[0], line.replace(/^\w*: /, '')]));
    const event = fields.get('event');
    if (event === undefined) this.comments++;
    else {
      const data = JSON.parse(fields.get('data')!);
      this.events.push({ event: event as keyof AllEvents, id: fields.get('id'), data });
    }
  }
}
