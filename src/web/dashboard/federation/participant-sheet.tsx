/** All that is known of one participant, and what an operator may do about it. */
import { useState } from 'preact/hooks';
import type { LiveParticipant } from '../../../node/server/live.ts';
import { Badge } from '../../shared/badge.tsx';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { count, duration, percent, UNKNOWN } from '../../shared/format.ts';
import { useNow } from '../../shared/now.ts';
import { useMay } from '../data/access.ts';
import type { LiveFederation } from '../data/live-federation.ts';
import { type Metric, metricName, metricText } from '../data/metric.ts';
import { shareOf } from '../data/participant-list.ts';
import { ConfirmForget, ConfirmRevoke } from '../operator/confirms.tsx';
import { rowsText, StatusBadge, seenText } from './participant-cells.tsx';

interface SheetProps {
  readonly live: LiveFederation;
  readonly participant: LiveParticipant;
  readonly metric: Metric;
  onClose(): void;
}

export function ParticipantSheet({ live, participant, metric, onClose }: SheetProps) {
  const [asked, setAsked] = useState<'forget' | 'revoke'>();
  const mayOperate = useMay('operate');
  const now = useNow() + live.clockAheadMs;
  const { id, agent, responseMs, benchmarkMs, answeredRounds, askedRounds, lastAcceptedRound } = participant;
  const facts: readonly (readonly [string, string])[] = [
    ['Last seen', seenText(participant, now)],
    ['Version', agent ?? UNKNOWN],
    ['Rows', participant.rows === null ? 'not visible' : rowsText(participant)],
    ['Last answer took', duration(responseMs)],
    ['Benchmark when it joined', duration(benchmarkMs)],
    [
      'Rounds answered',
      `${count(answeredRounds)} of ${count(askedRounds)} (${percent(shareOf(participant), 0)})`,
    ],
    ['Last accepted round', lastAcceptedRound === 0 ? UNKNOWN : count(lastAcceptedRound)],
    ...(participant.metric
      ? ([
          [`${metricName(metric)}, shared model`, metricText(metric, participant.metric.shared)],
          [`${metricName(metric)}, own model`, metricText(metric, participant.metric.own)],
        ] as const)
      : []),
  ];
  if (asked === 'forget')
    return <ConfirmForget name={live.name} id={id} onClose={() => setAsked(undefined)} />;
  if (asked === 'revoke')
    return <ConfirmRevoke name={live.name} id={id} onClose={() => setAsked(undefined)} />;
  return (
    <Dialog title={id} size="sheet" onClose={onClose}>
      <div class="sheet-badges">
        <StatusBadge status={participant.status} />
        {participant.fault !== null && <Badge tone="bad">{participant.fault}</Badge>}
      </div>
      <dl class="facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {participant.fault !== null && (
        <p class="small">
          The code is the last failure that the participant reported. docs/errors.md explains every code;
          messages and data stay with the participant.
        </p>
      )}
      {mayOperate && (
        <div class="sheet-actions">
          <Button onClick={() => setAsked('revoke')} icon="forbidden">
            Revoke access
          </Button>
          <Button onClick={() => setAsked('forget')} icon="trash">
            Forget
          </Button>
        </div>
      )}
    </Dialog>
  );
}
