/**
 * Asks the root of a namespace which version of the messages between nodes it speaks: when it says that something has changed, as it does
 * when it begins to lead, and now and then. By a step of admission, because gateways may ask nothing else.
 */
import { type AdmissionAnswer, fromJson, toJson } from '../../nats/admission.ts';
import type { Bus } from '../../nats/bus.ts';
import type { NodesVersion, RootVersion } from '../../nats/nodes-version.ts';
import type { Subjects } from '../../nats/subjects.ts';

const ANSWER_MS = 5000;
const AGAIN_MS = 10_000;

interface RootWatchPorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly version: RootVersion;
}

export class RootWatch {
  private readonly ports: RootWatchPorts;
  private asking: NodeJS.Timeout | undefined;
  private unsubscribe = () => {};

  constructor(ports: RootWatchPorts) {
    this.ports = ports;
  }

  start(): void {
    const { bus, subjects } = this.ports;
    this.unsubscribe = bus.subscribe(subjects.changed, () => void this.ask());
    this.asking = setInterval(() => void this.ask(), AGAIN_MS).unref();
    void this.ask();
  }

  stop(): void {
    clearInterval(this.asking);
    this.unsubscribe();
  }

  /** Where nobody answers, what was known stays. */
  private async ask(): Promise<void> {
    const { bus, subjects, version } = this.ports;
    try {
      const question = toJson({ step: 'nodes', federation: '' });
      const answer = fromJson<AdmissionAnswer>(await bus.request(subjects.admission, question, ANSWER_MS));
      if (answer && 'ok' in answer) version.note(answer.ok as NodesVersion);
      // A root that does not know the question.
      else if (answer?.error.code === 'BAD_REQUEST') version.note({});
    } catch {
      // Asked again.
    }
  }
}
