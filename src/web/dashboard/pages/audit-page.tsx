/** The audit log: what operators have done and what was refused, newest first. For admins. */
import { useEffect, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../host/audit-chain.ts';
import { ApiFailure, messageOf, request } from '../../shared/api.ts';
import { Badge } from '../../shared/badge.tsx';
import { Button } from '../../shared/button.tsx';
import { Card } from '../../shared/card.tsx';
import { save } from '../../shared/download.ts';
import { Empty } from '../../shared/empty.tsx';
import { count, dateTime } from '../../shared/format.ts';
import { Skeleton } from '../../shared/skeleton.tsx';
import { type Column, Table } from '../../shared/table.tsx';
import { toast } from '../../shared/toast.tsx';
import { Refused } from '../shell/stream-state.tsx';

const PAGE = 1000;

async function fetchLines(): Promise<string[]> {
  const lines: string[] = [];
  for (;;) {
    const page = await (await request(`/v1/audit-log?after=${lines.length}&limit=${PAGE}`)).text();
    const found = page.split('\n').filter((line) => line !== '');
    lines.push(...found);
    if (found.length < PAGE) return lines;
  }
}

export function AuditPage() {
  const [lines, setLines] = useState<readonly string[]>();
  const [failure, setFailure] = useState<ApiFailure>();
  const load = async () => {
    try {
      setLines(await fetchLines());
    } catch (error) {
      if (error instanceof ApiFailure) setFailure(error);
      else toast('bad', messageOf(error));
    }
  };
  useEffect(() => void load(), []);
  if (failure) return <Refused why={failure} missing={null} />;
  const entries = lines?.map((line) => JSON.parse(line) as AuditEntry).reverse();
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          <h1>Audit log</h1>
          <p>Every entry carries a digest of the one before: kindred audit-log verify checks the chain.</p>
        </div>
        <div class="actions">
          <Button icon="retry" onClick={() => void load()}>
            Reload
          </Button>
          <Button
            icon="download"
            disabled={!lines}
            onClick={() => save(new Blob([`${lines!.join('\n')}\n`]), 'audit-log.jsonl')}
          >
            Download
          </Button>
        </div>
      </div>
      {!entries ? (
        <Skeleton height="280px" />
      ) : entries.length === 0 ? (
        <Empty title="Nothing has happened yet" icon="audit" />
      ) : (
        <Card title="Entries" note={count(entries.length)} flush>
          <Table
            label="Audit log, newest first"
            columns={COLUMNS}
            rows={entries}
            keyOf={({ seq }) => String(seq)}
            maxHeight="calc(100dvh - 260px)"
            minWidth="760px"
          />
        </Card>
      )}
    </>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { key: 'seq', label: 'No.', width: '64px', cell: ({ seq }) => count(seq) },
  {
    key: 'at',
    label: 'When',
    width: '170px',
    cell: ({ at }) => <time dateTime={at}>{dateTime(Date.parse(at))}</time>,
  },
  { key: 'who', label: 'Who', width: '130px', cell: ({ who }) => who },
  { key: 'what', label: 'What', width: '170px', cell: ({ what }) => what },
  { key: 'target', label: 'Target', cell: targetText },
  { key: 'outcome', label: 'Outcome', width: '140px', cell: Outcome },
  { key: 'from', label: 'From', width: '120px', cell: ({ from }) => from },
];

function targetText({ target, counts }: AuditEntry): string {
  if (!counts) return target;
  return Object.entries(counts)
    .map(([code, n]) => `${code} ${n}`)
    .join(', ');
}

function Outcome({ outcome }: AuditEntry) {
  return <Badge tone={outcome === 'done' ? 'ok' : 'bad'}>{outcome}</Badge>;
}
