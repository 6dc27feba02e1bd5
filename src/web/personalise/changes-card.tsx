/** What has changed: the features whose weight is most personal, beside what the shared model gives them. */
import { useEffect, useState } from 'preact/hooks';
import { Card } from '../shared/card.tsx';
import { Empty } from '../shared/empty.tsx';
import { decimal, percent } from '../shared/format.ts';
import { Segments } from '../shared/segments.tsx';
import { Skeleton } from '../shared/skeleton.tsx';
import type { Changes } from './changes.ts';
import type { Desk } from './desk.ts';
import type { Personalised } from './fit.ts';

interface ChangesProps {
  readonly desk: Desk;
  readonly result: Personalised;
  readonly participant: string;
}

export function ChangesCard({ desk, result, participant }: ChangesProps) {
  const [changes, setChanges] = useState<Changes>();
  useEffect(() => {
    let isCurrent = true;
    desk.work.changes(participant).then(
      (found) => isCurrent && setChanges(found),
      // Another fit is under way, and brings its own.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [desk, result, participant]);
  return (
    <Card title="What has changed" note={noteOf(changes)}>
      {!changes ? (
        <Skeleton height="16rem" />
      ) : changes.kind === 'not linear' ? (
        <Empty compact title="No single column">
          <p>This model is not linear in its columns, so no weight belongs to one of them.</p>
        </Empty>
      ) : (
        <Heads key={participant} changes={changes} />
      )}
    </Card>
  );
}

function noteOf(changes: Changes | undefined): string | undefined {
  return changes?.kind === 'weights'
    ? `Your part is ${percent(changes.personalShare, 0)} of the size of the whole model`
    : undefined;
}

type Weights = Extract<Changes, { kind: 'weights' }>;

function Heads({ changes }: { readonly changes: Weights }) {
  const { heads, unit } = changes;
  const [picked, setPicked] = useState<number>();
  const chosen = picked ?? mostChanged(heads);
  const { class: name, features } = heads[chosen];
  const largest = features.reduce(
    (most, { shared, personal }) => Math.max(most, Math.abs(shared), Math.abs(shared + personal)),
    1e-12,
  );
  const what = name === undefined ? 'a larger number' : `“${name}”`;
  return (
    <div class="changes">
      {heads.length > 1 && (
        <Segments
          label="Class"
          value={String(chosen)}
          options={heads.map((head, h) => [String(h), head.class ?? ''] as const)}
          onChange={(value) => setPicked(Number(value))}
        />
      )}
      <p class="changes-key">
        <span data-of="shared">Shared</span>
        <span data-of="own">Yours</span>
        <span>to the right: speaks for {what}</span>
      </p>
      <ul class="changes-rows">
        {features.map(({ feature, shared, personal }) => (
          <li key={feature}>
            <span class="changes-name" title={feature}>
              {feature}
            </span>
            <span class="changes-bars" aria-hidden="true">
              <Bar of="shared" value={shared} largest={largest} />
              <Bar of="own" value={shared + personal} largest={largest} />
            </span>
            <span class="changes-number">
              {signed(shared)} <span aria-hidden="true">→</span>
              <span class="visually-hidden">becomes</span> <b>{signed(shared + personal)}</b>
            </span>
          </li>
        ))}
      </ul>
      <p class="fine">{UNITS[unit]}</p>
    </div>
  );
}

/** The class that the personal part is most about. */
function mostChanged(heads: Weights['heads']): number {
  const sizes = heads.map(({ features }) =>
    features.reduce((sum, { personal }) => sum + personal * personal, 0),
  );
  return sizes.indexOf(Math.max(...sizes));
}

const UNITS = {
  'standard deviation': 'Weights for a change by one standard deviation of the column.',
  'scaled unit': 'Weights of the columns as the model scales them.',
} as const;

function Bar({
  of,
  value,
  largest,
}: {
  readonly of: 'shared' | 'own';
  readonly value: number;
  readonly largest: number;
}) {
  const share = Math.min(1, Math.abs(value) / largest);
  return <i data-of={of} data-side={value < 0 ? 'against' : 'for'} style={{ width: `${50 * share}%` }} />;
}

function signed(value: number): string {
  const text = decimal(Math.abs(value), 2);
  return value < 0 && text !== '0' ? `−${text}` : `+${text}`;
}
