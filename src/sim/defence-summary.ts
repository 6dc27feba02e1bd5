/** What of a run's summary is there only with differential privacy or a defence. */
import { standings } from '../coordinator/defence.ts';
import type { Running } from '../privacy/defence/contribution.ts';
import type { Simulation } from './simulation.ts';
import type { ContributionSummary, RunSummary } from './summary.ts';

export function privacyOf({ coordinator, rows }: Simulation): Pick<RunSummary, 'privacy'> {
  const { dp } = coordinator.state?.options ?? {};
  const spent = rows.at(-1)?.privacy;
  return dp && spent ? { privacy: { settings: dp, spent } } : {};
}

/** By participant; nobody without a defence. */
export function contributionsOf({
  coordinator: { state },
  participants,
  rows,
}: Simulation): ReadonlyMap<string, { readonly contribution: ContributionSummary }> {
  if (!state?.options.defence) return new Map();
  const known = new Map(standings(state).map((standing) => [standing.id, standing]));
  const shortened = new Map<string, number>();
  for (const row of rows)
    for (const { id } of row.shortened ?? []) shortened.set(id, (shortened.get(id) ?? 0) + 1);
  return new Map(
    [...participants.keys()].map((id) => {
      const { contribution, suspicions = [] } = known.get(id) ?? {};
      const { cosine, normRatio, ownShare } = contribution ?? {};
      const means = { cosine: meanOf(cosine), normRatio: meanOf(normRatio), ownShare: meanOf(ownShare) };
      return [id, { contribution: { ...means, shortened: shortened.get(id) ?? 0, suspicions } }];
    }),
  );
}

function meanOf(running: Running | undefined): number | null {
  return running && running.count > 0 ? running.mean : null;
}
