/** Flags of `kindred serve`, and the federation's options among them. */
import { FEDERATION, STOP } from '../../settings/federation.ts';
import { checkedSettings } from '../flags.ts';

/** Commander's values, by option. */
export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly store: string;
  readonly federation?: string;
  readonly federationFile?: string;
  readonly open?: true;
  readonly inviteOnly?: true;
  readonly allow?: string;
  readonly operatorTokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsClientCa?: string;
  readonly origin?: readonly string[];
  readonly maxConnections?: number;
  readonly maxFrameBytes?: number;
  readonly connectionsPerAddress?: number;
  readonly logLevel: string;
  readonly logFormat?: string;
  readonly record?: string;
  readonly recount?: true;
  readonly exitWhenFinished?: true;
  readonly json?: true;
}

/** Settings with flags; those made of parts need a federation file. */
export const SERVE_SETTINGS = { ...FEDERATION, ...STOP };

/** What was given of a federation's options, as its file would have it. */
export function federationOptions(flags: ServeFlags): Record<string, unknown> {
  const given = Object.entries(checkedSettings(flags, SERVE_SETTINGS));
  const stop = given.filter(([key]) => key in STOP);
  return {
    ...Object.fromEntries(given.filter(([key]) => !(key in STOP))),
    ...(stop.length > 0 && { stop: Object.fromEntries(stop) }),
  };
}
