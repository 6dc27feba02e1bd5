import { parseEndpoint } from '../client/endpoint.ts';

/** The name of a state where none is given. */
export function stateName(url: string, participant: string): string {
  return `${parseEndpoint(url).label} ${participant}`;
}
