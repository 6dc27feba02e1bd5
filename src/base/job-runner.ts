/** Does jobs of one kind, on the same data, wherever that is: on threads of this process, or on other machines. */
import type { Eventually } from './ports.ts';

export interface JobRunner<Request, Result> {
  /** Results in the order of the requests, whoever did them; each is reported as soon as it is there. The first failure is thrown. */
  run(
    requests: readonly Request[],
    onResult: (result: Result, place: number) => void,
  ): Promise<readonly Result[]>;
  end(): Eventually<void>;
}
