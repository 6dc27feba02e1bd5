/** Refusals over HTTP: a status for programs, a stable code for scripts, a sentence for people. */
import { KindredError } from '../../base/errors.ts';

export class ApiError extends KindredError {
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(code, message, status >= 500 ? 'run' : 'input');
    this.status = status;
  }
}

export function noSuchFederation(name: string): ApiError {
  return new ApiError(404, 'NO_SUCH_FEDERATION', `federation "${name}": there is none of that name here`);
}
