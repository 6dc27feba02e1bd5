/** Reports of `kindred reproduce` that the server has been given: a list, the verdicts of one, and the report itself. */
import { useEffect, useState } from 'preact/hooks';
import type { VerdictRow } from '../../../reproduce/report/report.ts';
import { ApiFailure, ask, messageOf } from '../../shared/api.ts';
import { Badge, type Tone } from '../../shared/badge.tsx';
import { Button } from '../../shared/button.tsx';
import { Card } from '../../shared/card.tsx';
import { Command } from '../../shared/command.tsx';
import { Empty } from '../../shared/empty.tsx';
import { counted, dateTime } from '../../shared/format.ts';
import { Skeleton } from '../../shared/skeleton.tsx';
import { toast } from '../../shared/toast.tsx';
import { reportHash } from '../data/route.ts';
import { Refused } from '../shell/stream-state.tsx';

interface Report {
  readonly name: string;
  readonly writtenMs: number;
  readonly verdicts: readonly VerdictRow[];
}

export function ReportsPage({ name }: { readonly name: string | undefined }) {
  const [reports, setReports] = useState<readonly Report[]>();
  const [failure, setFailure] = useState<ApiFailure>();
  useEffect(() => {
    ask<{ reports: Report[] }>('/v1/reports')
      .then(({ reports }) => setReports(reports))
      .catch((error: unknown) =>
        setFailure(error instanceof ApiFailure ? error : new ApiFailure('FAILED', messageOf(error))),
      );
  }, []);
  if (failure) return <Refused why={failure} missing={null} />;
  if (!reports) return <Skeleton height="280px" />;
  const one = reports.find((report) => report.name === name);
  if (one) return <OneReport report={one} />;
  if (name !== undefined) return <NoSuchReport name={name} />;
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          <h1>Reports</h1>
          <p>The experiments of the paper, run again, with a verdict on every claim.</p>
        </div>
      </div>
      {reports.length === 0 ? <NoReports /> : <List reports={reports} />}
    </>
  );
}

const TONES: Readonly<Record<VerdictRow['verdict'], Tone>> = {
  holds: 'ok',
  'holds in part': 'warn',
  'does not hold': 'bad',
};
const VERDICTS = Object.keys(TONES) as VerdictRow['verdict'][];

function Verdicts({ verdicts }: Pick<Report, 'verdicts'>) {
  return (
    <span class="verdicts">
      {VERDICTS.map((verdict) => [verdict, verdicts.filter((row) => row.verdict === verdict).length] as const)
        .filter(([, n]) => n > 0)
        .map(([verdict, n]) => (
          <Badge key={verdict} tone={TONES[verdict]}>
            {n} {verdict}
          </Badge>
        ))}
    </span>
  );
}

function List({ reports }: { readonly reports: readonly Report[] }) {
  return (
    <ul class="tiles">
      {reports.map(({ name, writtenMs, verdicts }) => (
        <li class="tile" key={name}>
          <div class="tile-head">
            <a href={reportHash(name)}>{name}</a>
          </div>
          <p class="small">Written {dateTime(writtenMs)}</p>
          <Verdicts verdicts={verdicts} />
        </li>
      ))}
    </ul>
  );
}

function OneReport({ report: { name, writtenMs, verdicts } }: { readonly report: Report }) {
  const [busy, setBusy] = useState(false);
  const open = async () => {
    setBusy(true);
    // At once, or the browser would take it for a pop-up; it gets its address when the server has given one.
    const tab = window.open('about:blank', '_blank');
    try {
      const { path } = await ask<{ path: string }>(`/v1/reports/${encodeURIComponent(name)}/open`, {
        method: 'POST',
      });
      if (tab) tab.location.replace(path);
      else location.assign(path);
    } catch (error) {
      tab?.close();
      toast('bad', messageOf(error));
    }
    setBusy(false);
  };
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          <nav class="crumb" aria-label="Breadcrumb">
            <a href={reportHash()}>Reports</a>
          </nav>
          <h1>{name}</h1>
          <p>
            {counted(verdicts.length, 'claim')}, written {dateTime(writtenMs)}
          </p>
        </div>
        <div class="actions">
          <Button kind="primary" icon="report" busy={busy} onClick={open}>
            Open the report
          </Button>
        </div>
      </div>
      <Verdicts verdicts={verdicts} />
      <ul class="claims">
        {verdicts.map(({ id, section, claim, measured, verdict }) => (
          <li key={id}>
            <Card
              title={claim}
              note={`section ${section}`}
              controls={<Badge tone={TONES[verdict]}>{verdict}</Badge>}
            >
              <ul class="measured">
                {measured.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </Card>
          </li>
        ))}
      </ul>
    </>
  );
}

function NoReports() {
  return (
    <Empty title="No report is served" icon="report">
      <p>Write one, then start the server with the folder that has it:</p>
      <Command
        text={'kindred reproduce all --quick --out reports/quick\nkindred serve --reports reports'}
        label="Copy the commands"
      />
    </Empty>
  );
}

function NoSuchReport({ name }: { readonly name: string }) {
  return (
    <Empty title={`There is no report named ${name}`} icon="search">
      <p>
        <a href={reportHash()}>Show all reports</a>
      </p>
    </Empty>
  );
}
