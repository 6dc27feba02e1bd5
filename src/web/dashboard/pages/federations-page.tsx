/** All federations of the server, as cards. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FederationBrief } from '../../../node/server/routes/federations.ts';
import { Badge } from '../../shared/badge.tsx';
import { Button } from '../../shared/button.tsx';
import { useCell } from '../../shared/cell.ts';
import { Command } from '../../shared/command.tsx';
import { Empty } from '../../shared/empty.tsx';
import { count, counted, scientific, UNKNOWN } from '../../shared/format.ts';
import { Skeleton } from '../../shared/skeleton.tsx';
import { Spark } from '../../shared/spark.tsx';
import { useMay } from '../data/access.ts';
import { LiveServer } from '../data/live-server.ts';
import { isTraining, phaseText } from '../data/phase.ts';
import { federationHash } from '../data/route.ts';
import { CreateDialog } from '../operator/create-dialog.tsx';
import { LostBanner, Refused, Unreachable } from '../shell/stream-state.tsx';

export function FederationsPage() {
  const server = useMemo(() => new LiveServer(), []);
  useEffect(() => () => server.close(), [server]);
  const status = useCell(server.status);
  const federations = useCell(server.federations);
  const gaps = useCell(server.gaps);
  const mayOperate = useMay('operate');
  const [isCreating, setCreating] = useState(false);
  if (status.type === 'refused') return <Refused why={status.why} missing={null} />;
  if (!federations && status.type === 'waiting')
    return <Unreachable status={status} onRetry={() => server.retry()} />;
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          <h1>Federations</h1>
          {federations && <p>{summaryOf(federations)}</p>}
        </div>
        {mayOperate && (
          <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
            New federation
          </Button>
        )}
      </div>
      <LostBanner status={status} onRetry={() => server.retry()} />
      {!federations ? (
        <Loading />
      ) : federations.length === 0 ? (
        <NoFederation />
      ) : (
        <ul class="tiles">
          {federations.map((one) => (
            <Tile key={one.id} federation={one} gaps={gaps.get(one.id) ?? []} />
          ))}
        </ul>
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function summaryOf(federations: readonly FederationBrief[]): string {
  const training = federations.filter(isTraining).length;
  const connected = federations.reduce((sum, one) => sum + one.connected, 0);
  return `${counted(federations.length, 'federation')}, ${count(training)} training, ${counted(connected, 'participant')} connected`;
}

interface TileProps {
  readonly federation: FederationBrief;
  readonly gaps: readonly (number | null)[];
}

function Tile({ federation, gaps }: TileProps) {
  const { name, round, relativeGap, connected } = federation;
  const { text, tone } = phaseText(federation);
  return (
    <li class="tile">
      <div class="tile-head">
        <a href={federationHash(name)}>{name}</a>
        <Badge tone={tone} live={isTraining(federation)}>
          {text}
        </Badge>
      </div>
      <div class="tile-curve">
        <Spark values={gaps} scale="log" label={`Duality gap of ${name} over its rounds`} />
      </div>
      <dl class="tile-facts">
        <div>
          <dt>Round</dt>
          <dd>{round === 0 ? UNKNOWN : count(round)}</dd>
        </div>
        <div>
          <dt>Gap</dt>
          <dd>{scientific(relativeGap)}</dd>
        </div>
        <div>
          <dt>Connected</dt>
          <dd>{count(connected)}</dd>
        </div>
      </dl>
    </li>
  );
}

function Loading() {
  return (
    <ul class="tiles" aria-busy="true" aria-label="Loading federations">
      {[0, 1, 2].map((i) => (
        <li class="tile" key={i}>
          <Skeleton width="45%" height="20px" />
          <Skeleton height="36px" />
          <Skeleton width="80%" height="34px" />
        </li>
      ))}
    </ul>
  );
}

function NoFederation() {
  return (
    <Empty title="No federation yet" icon="federation">
      <p>
        A federation is a group of participants that train one shared model and keep a personal one each. An
        operator creates it here, or with the command line:
      </p>
      <Command text="kindred serve --federation wards" label="Copy the command" />
    </Empty>
  );
}
