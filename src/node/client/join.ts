/** `joinFederation`: a participant (src/client) on Node: a state folder, a thread that solves, HTTP and WebSocket. */
import '../crc32.ts';
import { randomInt } from 'node:crypto';
import { inputError } from '../../base/errors.ts';
import { parseEndpoint } from '../../client/endpoint.ts';
import { participate } from '../../client/participation.ts';
import type { Participation, ParticipationOptions } from '../../client/participation-options.ts';
import type { Transport } from '../../client/ports.ts';
import type { TlsOptions } from '../admin/post-json.ts';
import { systemClock } from '../clock.ts';
import { nodePrimitives } from '../crypto.ts';
import { type Environment, proxyFor } from '../proxy/proxy-choice.ts';
import { openFolder } from './state-folder.ts';
import { threadSolver } from './thread-solver.ts';
import { DEFAULT_HEARTBEAT, webTransport } from './web-transport.ts';

export interface JoinOptions extends Omit<ParticipationOptions, 'retryFromMs' | 'retryMostMs'> {
  /** http, https, ws or wss; the path names the federation (default: "default"). */
  readonly url: string;
  /** A folder of its own, made where there is none. */
  readonly stateFolder: string;
  readonly tls?: TlsOptions | undefined;
  /** Where HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are looked up (default: the environment of this process). */
  readonly env?: Environment | undefined;
  readonly timing?: Partial<JoinTiming> | undefined;
}

/** For unusual networks, and for tests. */
export interface JoinTiming {
  readonly retryFromMs: number;
  readonly retryMostMs: number;
  readonly pingMs: number;
  readonly silenceMs: number;
}

export function joinFederation(options: JoinOptions): Participation {
  const { url, stateFolder, tls, env, timing, ...rest } = options;
  return participate(
    { ...rest, retryFromMs: timing?.retryFromMs, retryMostMs: timing?.retryMostMs },
    {
      transport: () => transportTo(options),
      home: (newcomer) => openFolder(stateFolder, newcomer),
      solver: threadSolver,
      clock: systemClock,
      random: cryptoShare,
      primitives: nodePrimitives(),
    },
  );
}

const STEPS = 2 ** 47;

/** Not Math.random: whoever knows when others come back can come at that time, too. */
export function cryptoShare(): number {
  return randomInt(STEPS) / STEPS;
}

export function transportTo({
  url,
  tls,
  env,
  timing,
}: Pick<JoinOptions, 'url' | 'tls' | 'env' | 'timing'>): Transport {
  const endpoint = parseEndpoint(url);
  if (tls && !endpoint.isSecure) {
    throw inputError(
      'BAD_OPTION',
      `${endpoint.label}: expected an https or wss address with certificates, got http`,
    );
  }
  const proxy = proxyFor(endpoint.challenge, env);
  return webTransport(endpoint, { tls, proxy }, { ...DEFAULT_HEARTBEAT, ...timing });
}
