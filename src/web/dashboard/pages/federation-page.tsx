/** One federation, live. */
import { useEffect, useMemo } from 'preact/hooks';
import { useCell } from '../../shared/cell.ts';
import { Empty } from '../../shared/empty.tsx';
import { Skeleton } from '../../shared/skeleton.tsx';
import { LiveFederation } from '../data/live-federation.ts';
import { Curves } from '../federation/curves.tsx';
import { FederationHead } from '../federation/head.tsx';
import { Health, Options } from '../federation/health.tsx';
import { KeyNumbers } from '../federation/key-numbers.tsx';
import { Notices } from '../federation/notices.tsx';
import { OpenRoundCard } from '../federation/open-round.tsx';
import { Participants } from '../federation/participants.tsx';
import { LostBanner, Refused, Unreachable } from '../shell/stream-state.tsx';

export function FederationPage({ name }: { readonly name: string }) {
  const live = useMemo(() => new LiveFederation(name), [name]);
  useEffect(() => () => live.close(), [live]);
  const status = useCell(live.status);
  const isKnown = useCell(live.state) !== undefined;
  const isDeleted = useCell(live.isDeleted);
  const retry = () => live.retry();
  if (isDeleted) return <Gone title={`${name} was deleted`} />;
  if (status.type === 'refused')
    return <Refused why={status.why} missing={<Gone title={`There is no federation named ${name}`} />} />;
  if (!isKnown && status.type === 'waiting') return <Unreachable status={status} onRetry={retry} />;
  if (!isKnown) return <Loading name={name} />;
  return (
    <>
      <FederationHead live={live} />
      <LostBanner status={status} onRetry={retry} />
      <Notices live={live} />
      <KeyNumbers live={live} />
      <div class="columns">
        <Curves live={live} />
        <div class="side">
          <OpenRoundCard live={live} />
          <Health live={live} />
        </div>
      </div>
      <Participants live={live} />
      <Options live={live} />
    </>
  );
}

function Gone({ title }: { readonly title: string }) {
  return (
    <Empty title={title} icon="search">
      <p>Its model, history and enrolments are not on this server. Participants keep their own models.</p>
      <p>
        <a href="#/">Show all federations</a>
      </p>
    </Empty>
  );
}

function Loading({ name }: { readonly name: string }) {
  return (
    <div class="loading" aria-busy="true">
      <h1 class="visually-hidden">Loading {name}</h1>
      <Skeleton width="240px" height="28px" />
      <Skeleton height="86px" />
      <div class="columns">
        <Skeleton height="320px" />
        <Skeleton height="320px" />
      </div>
    </div>
  );
}
