/** Everybody who takes part, live. */
import { useState } from 'preact/hooks';
import type { LiveParticipant } from '../../../node/server/live.ts';
import { Badge } from '../../shared/badge.tsx';
import { Card } from '../../shared/card.tsx';
import { useCell } from '../../shared/cell.ts';
import { Empty } from '../../shared/empty.tsx';
import { count, counted, duration, percent, UNKNOWN } from '../../shared/format.ts';
import { Meter } from '../../shared/meter.tsx';
import { useNow } from '../../shared/now.ts';
import { Segments } from '../../shared/segments.tsx';
import { Skeleton } from '../../shared/skeleton.tsx';
import { type Column, type Sort, Table } from '../../shared/table.tsx';
import type { LiveFederation } from '../data/live-federation.ts';
import { type Metric, metricText } from '../data/metric.ts';
import { type Filter, listed, shareOf } from '../data/participant-list.ts';
import { optionsOf } from '../data/settings-view.ts';
import { useNarrow } from '../shell/narrow.ts';
import { rowsText, StatusBadge, seenText } from './participant-cells.tsx';
import { ParticipantSheet } from './participant-sheet.tsx';

export function Participants({ live }: { readonly live: LiveFederation }) {
  const participants = useCell(live.participants);
  const isKnown = useCell(live.hasParticipants);
  const state = useCell(live.state)!;
  const [filter, setFilter] = useState<Filter>('all');
  const [text, setText] = useState('');
  const [sort, setSort] = useState<Sort>({ key: 'id', direction: 'ascending' });
  const [openId, setOpenId] = useState<string>();
  const isNarrow = useNarrow();
  const now = useNow() + live.clockAheadMs;
  const metric = metricOf(optionsOf(state).objective);
  const all = [...participants.values()];
  const rows = listed(all, { filter, text, sort });
  const faults = all.filter(({ fault }) => fault !== null).length;
  const columns = columnsFor({ now, metric, isNarrow, all });
  const chosen = openId === undefined ? undefined : participants.get(openId);
  return (
    <Card
      title="Participants"
      note={rows.length === all.length ? count(all.length) : `${count(rows.length)} of ${count(all.length)}`}
      flush
      controls={
        <div class="table-tools">
          <Segments<Filter>
            label="Which participants"
            options={filters(faults)}
            value={filter}
            onChange={setFilter}
          />
          <input
            class="input"
            type="search"
            placeholder="Find by name"
            aria-label="Find participants by name"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
      }
    >
      {!isKnown ? (
        <div class="padded">
          <Skeleton height="120px" />
        </div>
      ) : rows.length === 0 ? (
        <Nobody isFiltered={all.length > 0} />
      ) : (
        <Table
          label={`Participants: ${counted(rows.length, 'row')}`}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          sort={sort}
          onSort={setSort}
          onOpen={({ id }) => setOpenId(id)}
          minWidth={isNarrow ? '0' : '980px'}
        />
      )}
      {chosen && (
        <ParticipantSheet
          live={live}
          participant={chosen}
          metric={metric}
          onClose={() => setOpenId(undefined)}
        />
      )}
    </Card>
  );
}

function filters(faults: number): readonly (readonly [Filter, string])[] {
  return [
    ['all', 'All'],
    ['connected', 'Connected'],
    ['late', 'Late'],
    ['faults', faults > 0 ? `Faults (${count(faults)})` : 'Faults'],
  ];
}

export function metricOf(objective: 'classification' | 'regression'): Metric {
  return objective === 'regression' ? 'rmse' : 'balancedAccuracy';
}

function Nobody({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="Nobody matches" icon="search" compact>
      <p>Choose All, or clear the name.</p>
    </Empty>
  ) : (
    <Empty title="Nobody has joined yet" icon="people" compact>
      <p>Invite participants, or let them join with the command that kindred serve prints.</p>
    </Empty>
  );
}

interface ColumnsFor {
  readonly now: number;
  readonly metric: Metric;
  readonly isNarrow: boolean;
  readonly all: readonly LiveParticipant[];
}

function columnsFor({ now, metric, isNarrow, all }: ColumnsFor): Column<LiveParticipant>[] {
  const hasMetric = all.some((participant) => participant.metric);
  const columns: (Column<LiveParticipant> & { readonly wide?: true })[] = [
    { key: 'id', label: 'Name', sort: 'ascending', cell: ({ id }) => id },
    {
      key: 'status',
      label: 'Status',
      width: isNarrow ? '106px' : '112px',
      sort: 'ascending',
      cell: StatusBadge,
    },
    {
      key: 'seen',
      label: 'Last seen',
      width: '104px',
      sort: 'descending',
      wide: true,
      cell: (p) => seenText(p, now),
    },
    {
      key: 'agent',
      label: 'Version',
      width: '150px',
      sort: 'ascending',
      wide: true,
      cell: ({ agent }) => agent ?? UNKNOWN,
    },
    {
      key: 'rows',
      label: 'Rows',
      width: '84px',
      align: 'end',
      sort: 'descending',
      wide: true,
      cell: rowsText,
    },
    {
      ...{ key: 'speed', label: 'Speed', width: isNarrow ? '80px' : '92px', align: 'end', sort: 'ascending' },
      about: 'From the opening of a round to its last answer',
      cell: ({ responseMs }) => duration(responseMs),
    },
    {
      ...{ key: 'share', label: 'Rounds', width: '116px', sort: 'descending', wide: true },
      about: 'Share of the rounds that it was asked in and answered in time, since the server started',
      cell: Share,
    },
    {
      ...{ key: 'shared', label: 'Before', width: '88px', align: 'end', sort: 'descending', wide: true },
      about: 'On its test rows, with the shared model alone',
      cell: (p) => metricText(metric, p.metric?.shared),
    },
    {
      ...{ key: 'own', label: 'After', width: isNarrow ? '72px' : '88px', align: 'end', sort: 'descending' },
      about: 'On its test rows, with its own model: after personalising',
      cell: (p) => metricText(metric, p.metric?.own),
    },
    { key: 'fault', label: 'Fault', width: '132px', sort: 'ascending', wide: true, cell: Fault },
  ];
  return columns.filter(({ key, wide }) => {
    if (key === 'own' || key === 'shared') return hasMetric && !(isNarrow && wide);
    // A phone has room for a name and two more.
    if (key === 'speed' && isNarrow) return !hasMetric;
    return !(isNarrow && wide);
  });
}

function Share(participant: LiveParticipant) {
  const share = shareOf(participant);
  if (share === null) return UNKNOWN;
  return (
    <span class="share">
      <Meter share={share} tone={share < 0.5 ? 'warn' : 'ok'} />
      {percent(share, 0)}
    </span>
  );
}

function Fault({ fault }: LiveParticipant) {
  return fault === null ? '' : <Badge tone="bad">{fault}</Badge>;
}
