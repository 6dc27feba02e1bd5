/** Every byte that the page has sent, by what it is; and what it has not. */
import type { Traffic } from '../../browser/traffic.ts';
import { Card } from '../shared/card.tsx';
import { bytes, count } from '../shared/format.ts';
import { Icon } from '../shared/icon.tsx';
import { Meter } from '../shared/meter.tsx';
import type { RowsSummary } from './read-rows.ts';
import { sentLines } from './traffic-notes.ts';

interface SentProps {
  readonly traffic: Traffic;
  readonly summary: RowsSummary;
}

export function SentCard({ traffic, summary }: SentProps) {
  const { sentBytes, receivedBytes, sent } = traffic;
  const lines = sentLines(sent);
  return (
    <Card title="What this page has sent" note="Since it was opened">
      <dl class="sent-totals">
        <div>
          <dt>Sent</dt>
          <dd data-sent-bytes={sentBytes}>{bytes(sentBytes)}</dd>
        </div>
        <div data-kind="never">
          <dt>
            <Icon name="forbidden" size={14} /> Of your rows
          </dt>
          <dd>
            0 B <small>of {bytes(summary.bytes)}</small>
          </dd>
        </div>
      </dl>
      {lines.length === 0 ? (
        <p class="fine">Nothing so far.</p>
      ) : (
        <ul class="sent-lines">
          {lines.map(({ kind, what, count: times, bytes: size }) => (
            <li key={kind}>
              <span class="sent-what">{what}</span>
              <span class="sent-size">
                {bytes(size)} <small>{count(times)}×</small>
              </span>
              <Meter share={sentBytes > 0 ? size / sentBytes : 0} />
            </li>
          ))}
        </ul>
      )}
      <p class="fine">{bytes(receivedBytes)} received: the shared model of each round.</p>
    </Card>
  );
}
