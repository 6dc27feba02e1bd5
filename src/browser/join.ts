/** `joinFederation` of a page: starts the worker that takes part, and passes on what it reports. */
import { KindredError } from '../base/errors.ts';
import type { JoinResult, JoinStatus } from '../client/participation-options.ts';
import type { Model } from '../solver/model.ts';
import { type Answer, type Call, errorOf, type FromWorker, type News, type ToWorker } from './messages.ts';
import type { PageEvent, PageJoinOptions, PageParticipation } from './page-types.ts';
import { startWorker } from './start-worker.ts';
import { NO_TRAFFIC, type Traffic } from './traffic.ts';

export { stateName } from './state-name.ts';

export function joinFederation(options: PageJoinOptions): PageParticipation {
  return new InPage(options);
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

class InPage implements PageParticipation {
  readonly done: Promise<JoinResult>;
  status: JoinStatus;
  role: 'leader' | 'follower' | undefined;
  traffic: Traffic = NO_TRAFFIC;
  private readonly onEvent: (event: PageEvent) => void;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private calls = 0;
  private isClosed = false;
  private settle!: { resolve(result: JoinResult): void; reject(error: Error): void };

  constructor({ onEvent, worker = startWorker, state, timing = {}, ...options }: PageJoinOptions) {
    this.onEvent = onEvent ?? (() => {});
    this.status = startingStatus(options.participant);
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.worker = worker();
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.take(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      const said = event.message || 'its script could not be loaded';
      this.fail(new KindredError('WORKER_FAILED', `worker of the participant: ${said}`, 'run'));
    };
    this.tell({ type: 'join', options: { ...options, name: state, timing } });
  }

  async model(): Promise<Model | undefined> {
    return (await this.call('model')).model;
  }

  async leave(): Promise<void> {
    await this.call('leave');
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    await this.call('close').catch(() => {});
    this.isClosed = true;
    this.worker.terminate();
  }

  private async call(call: Call): Promise<{ readonly model?: Model | undefined }> {
    if (this.isClosed)
      throw new KindredError('CLOSED', `participant: expected a running one, got one that is closed`, 'run');
    const id = this.calls++;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.tell({ type: 'call', id, call });
    });
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer;
  }

  private tell(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private take(message: FromWorker): void {
    switch (message.type) {
      case 'role':
        this.role = message.role;
        this.onEvent(message);
        break;
      case 'news':
        this.hear(message.news);
        break;
      case 'answer':
        this.waiting.get(message.id)?.resolve(message.answer);
        this.waiting.delete(message.id);
        break;
      case 'done':
        if ('result' in message.outcome) this.settle.resolve(message.outcome.result);
        else this.settle.reject(errorOf(message.outcome.failure));
    }
  }

  private hear({ status, traffic, event }: News): void {
    const { sentBytes, receivedBytes } = this.traffic;
    const hasTraffic = traffic.sentBytes !== sentBytes || traffic.receivedBytes !== receivedBytes;
    this.status = status;
    this.traffic = traffic;
    if (hasTraffic) this.onEvent({ type: 'traffic', traffic });
    this.onEvent({ type: 'status', status });
    if (event) this.onEvent(event);
  }

  private fail(error: Error): void {
    this.isClosed = true;
    this.worker.terminate();
    this.settle.reject(error);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

function startingStatus(participant: string): JoinStatus {
  return {
    ...{ participant, phase: 'joining', round: 0, base: 0, isConnected: false, passes: 0 },
    ...{ awaited: undefined, solveMs: undefined, federation: undefined },
    ...{ waitingFor: undefined, agreement: undefined },
  };
}
