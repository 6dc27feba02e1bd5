/** Answers gateways and owners over NATS, for the server that leads. Refusals are those of HTTP: gateways pass them on. */
import { optionsToJson } from '../../coordinator/options.ts';
import {
  type AdmissionAnswer,
  type AdmissionStep,
  type FederationList,
  fromJson,
  type Grant,
  toJson,
} from '../../nats/admission.ts';
import type { Bus } from '../../nats/bus.ts';
import { NODES_VERSION, type NodesVersion } from '../../nats/nodes-version.ts';
import type { Subjects } from '../../nats/subjects.ts';
import type { Admission } from '../server/admission.ts';
import { ApiError, parsed, refusalOf } from '../server/api-error.ts';
import type { Door } from '../server/door.ts';
import type { Federation } from '../server/federation.ts';
import { sessionRequest } from '../server/routes/admission.ts';
import { ShardLinks } from './shard-links.ts';

interface DeskPorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** Of the messages between nodes; default: `NODES_VERSION`. */
  readonly nodes?: number | undefined;
  /** Of the program. */
  readonly version?: string | undefined;
  readonly admission: Admission;
  readonly door: Door;
  readonly wallClock: () => number;
  readonly federations: ReadonlyMap<string, Federation>;
  federation(name: string): Federation;
  /** What no gateway is told: something is wrong here. */
  onFailure(error: Error): void;
}

export class AdmissionDesk {
  private readonly ports: DeskPorts;
  private subscriptions: (() => void)[] = [];
  private lastConnection = 0;
  /** What goes wrong every two seconds is reported once. */
  private isListSent = true;

  constructor(ports: DeskPorts) {
    this.ports = ports;
  }

  start(): void {
    const { bus, subjects } = this.ports;
    this.subscriptions = [
      bus.serve(subjects.admission, ({ data, answer }) => {
        void this.answerTo(data).then((result) => {
          if (!answer(toJson(result))) answer(toJson(this.tooLarge(result)));
        });
      }),
      bus.serve(subjects.federations, ({ answer }) => {
        const list = toJson(this.list());
        if (answer(list)) this.isListSent = true;
        else if (list.length > bus.maxPayload) this.noteTooLarge(list.length);
      }),
    ];
    this.noteChange();
  }

  stop(): void {
    for (const end of this.subscriptions) end();
    this.subscriptions = [];
  }

  /** The list of federations is another one. */
  noteChange(): void {
    const { bus, subjects } = this.ports;
    bus.publish(subjects.changed, new Uint8Array(0));
  }

  private list(): FederationList {
    const { federations } = this.ports;
    return {
      ...this.ownVersion(),
      federations: [...federations.values()].map(({ record, groups }) => ({
        ...{ name: record.name, id: record.id, createdMs: record.createdMs, shards: record.shards ?? 1 },
        ...(record.fanIn !== undefined && { fanIn: record.fanIn }),
        options: optionsToJson(record.options),
        epochs: groups instanceof ShardLinks ? groups.epochs() : [],
      })),
    };
  }

  private ownVersion(): NodesVersion {
    const { nodes = NODES_VERSION, version } = this.ports;
    return { nodes, version };
  }

  private noteTooLarge(bytes: number): void {
    const { bus, onFailure } = this.ports;
    if (this.isListSent)
      onFailure(
        new Error(
          `the list of federations cannot be sent: ${bytes} bytes, of ${bus.maxPayload} that NATS takes (max_payload)`,
        ),
      );
    this.isListSent = false;
  }

  /** Unless the connection is gone: then nobody reads this either. */
  private tooLarge(result: AdmissionAnswer): AdmissionAnswer {
    const { bus, onFailure } = this.ports;
    const bytes = toJson(result).length;
    const message = `the answer of the root could not be sent: ${bytes} bytes, of ${bus.maxPayload} that NATS takes (max_payload)`;
    if (bytes > bus.maxPayload) onFailure(new Error(message));
    return { error: { code: 'NO_ROOT', message } };
  }

  private async answerTo(data: Uint8Array): Promise<AdmissionAnswer> {
    try {
      const step = fromJson<AdmissionStep>(data);
      if (typeof step?.federation !== 'string')
        throw new ApiError('BAD_REQUEST', 'a step of admission: expected one');
      return { ok: await this.take(step) };
    } catch (error) {
      const { code, message, status } = refusalOf(error as Error);
      if (status >= 500) this.ports.onFailure(error as Error);
      return { error: { code, message } };
    }
  }

  private async take(step: AdmissionStep): Promise<unknown> {
    const { door } = this.ports;
    switch (step.step) {
      case 'nodes':
        return this.ownVersion();
      case 'announcement':
        return await door.announcement(step.federation);
      case 'challenge':
        return await door.challenge(step.federation, step.protocol);
      case 'session': {
        const request = parsed(sessionRequest, step.request, 'body');
        const peer = { remoteAddress: String(step.address), origin: 'checked' } as const;
        return await door.session(step.federation, request, peer);
      }
      case 'redeem':
        return (await this.redeem(step.federation, String(step.ticket))) ?? null;
      default:
        throw new ApiError('BAD_REQUEST', 'a step of admission: unknown');
    }
  }

  private async redeem(name: string, code: string): Promise<Grant | undefined> {
    const { admission, federation } = this.ports;
    const { record } = federation(name);
    let grant: Grant | undefined;
    await admission.redeem(record.name, code, ({ participant, columns, agent }) => {
      grant = {
        federation: { name: record.name, id: record.id },
        ...{ participant, columns, agent },
        shards: record.shards ?? 1,
        connection: this.nextConnection(),
      };
    });
    return grant;
  }

  /** Also above those of a root before us, unless its clock was ahead: then until the old connection is found to be gone. */
  private nextConnection(): number {
    this.lastConnection = Math.max(this.lastConnection + 1, this.ports.wallClock() * 1000);
    return this.lastConnection;
  }
}
