/** How a participation connects: who applies, when it is tried again, how large frames may be. */
import { columnTitles } from '../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Policy } from '../settings/policy.ts';
import type { ConnectionOptions } from './connection.ts';
import type { ParticipationOptions, ParticipationPorts } from './participation-options.ts';
import type { Signer, StateStore, Transport } from './ports.ts';

const RETRY_FROM_MS = 200;
const RETRY_MOST_MS = 15_000;

interface Connecting {
  readonly options: Omit<ParticipationOptions, 'data'>;
  readonly ports: ParticipationPorts;
  readonly policy: Policy;
  readonly transport: Transport;
  readonly signer: Signer;
  readonly store: StateStore;
}

export function connectionOptions(connecting: Connecting): ConnectionOptions {
  const { options, ports, policy, transport, signer, store } = connecting;
  const { invitation, retryFromMs = RETRY_FROM_MS, retryMostMs = RETRY_MOST_MS } = options;
  const { waitForUpgrade = true } = options;
  const { clock, random } = ports;
  return {
    transport,
    clock,
    random,
    applicant: () => {
      const { participant, schema, federation } = store.file;
      const features = columnTitles(store.file.features, store.file.texts);
      return { participant, signer, schema, features, invitation, federation, place: store.place };
    },
    retry: { fromMs: retryFromMs, mostMs: retryMostMs },
    upgrade: waitForUpgrade ? { fromMs: 10 * retryFromMs, mostMs: 4 * retryMostMs } : undefined,
    limits: { ...DEFAULT_LIMITS, maxFrameBytes: policy.maxFrameBytes },
  };
}
