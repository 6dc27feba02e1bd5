/** Effects of several inputs with one durable change in place of several: it comes first, so nothing is sent that it does not cover. */
import type { CoordinatorEffect } from '../coordinator/effects.ts';
import type { StoredCoordinator, StoredMember } from '../coordinator/stored.ts';

export function asOneChange(effects: readonly CoordinatorEffect[]): readonly CoordinatorEffect[] {
  const changes = effects.flatMap((effect) => (effect.type === 'persist' ? [effect.changes] : []));
  if (changes.length === 0) return effects;
  const others = effects.filter(({ type }) => type !== 'persist');
  return [{ type: 'persist', changes: merged(changes) }, ...others];
}

function merged(changes: readonly StoredCoordinator[]): StoredCoordinator {
  const members = new Map<string, StoredMember>();
  const removed = new Set<string>();
  for (const change of changes) {
    for (const id of change.removed) {
      members.delete(id);
      removed.add(id);
    }
    for (const member of change.members) {
      members.set(member.id, member);
      removed.delete(member.id);
    }
  }
  return { run: changes.at(-1)!.run, members: [...members.values()], removed: [...removed] };
}
