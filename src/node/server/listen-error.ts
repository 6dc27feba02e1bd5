/** Why a port cannot be listened on, in words for people. */
import { inputError } from '../../base/errors.ts';

export function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    return inputError('PORT_IN_USE', `port ${port}: in use by another process; choose another with --port`);
  }
  if (code === 'EACCES')
    return inputError('NO_PERMISSION', `port ${port}: not allowed; choose one above 1023`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return inputError('BAD_HOST', `host "${host}": expected an address of this machine`);
  }
  return error;
}
