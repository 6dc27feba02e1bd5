/** The audit: one training for each protection on the same rows, the same attacks on what its coordinator saw. */
import type { Table } from '../data/table.ts';
import type { ScenarioInput } from '../sim/scenario.ts';
import { type Leak, leakOf } from './attack.ts';
import { MODES, type Mode } from './modes.ts';
import { seenByParticipant, watch } from './watch.ts';

export interface AuditSetting {
  readonly name: string;
  readonly table: Table;
  /** What all modes have in common. */
  readonly scenario: ScenarioInput;
}

interface ModeLeak {
  readonly mode: string;
  readonly about: string;
  readonly leak: Leak;
}

export interface AuditResult {
  readonly setting: string;
  readonly participants: number;
  /** Training rows of each participant, on average. */
  readonly rows: number;
  readonly features: number;
  readonly modes: readonly ModeLeak[];
}

export function audit(
  setting: AuditSetting,
  onMode: (mode: string) => void = () => {},
  modes: readonly Mode[] = MODES,
): AuditResult {
  let rows = 0;
  const leaks = modes.map(({ name, about, changes, onlooker }) => {
    onMode(name);
    const trained = watch(setting.table, { ...setting.scenario, ...changes });
    const federation = onlooker === 'participant' ? seenByParticipant(trained) : trained;
    const all = federation.watched.reduce((sum, { truth }) => sum + truth.rows.length, 0);
    rows = all / federation.watched.length;
    return { mode: name, about, leak: leakOf(federation, bernoulliOf(changes)) };
  });
  const { participants, features } = setting.table;
  return {
    setting: setting.name,
    participants: participants.length,
    rows,
    features: features.length,
    modes: leaks,
  };
}

/** Only discrete masks can be enumerated. */
function bernoulliOf({ mask }: ScenarioInput) {
  return mask?.kind === 'bernoulli' ? (mask.semantics ?? 'consistent') : undefined;
}
