/** What a view shows while its stream of events is not there: connecting, lost, refused. */
import type { ComponentChildren } from 'preact';
import type { ApiFailure } from '../../shared/api.ts';
import { Banner } from '../../shared/banner.tsx';
import { Button } from '../../shared/button.tsx';
import { Card } from '../../shared/card.tsx';
import { Empty } from '../../shared/empty.tsx';
import type { StreamStatus } from '../../shared/events.ts';
import { useNow } from '../../shared/now.ts';
import { TokenForm } from './sign-in.tsx';

interface LostProps {
  readonly status: StreamStatus;
  onRetry(): void;
}

/** Above what was shown last. */
export function LostBanner({ status, onRetry }: LostProps) {
  if (status.type !== 'waiting') return null;
  return (
    <Banner tone="warn" icon="offline" role="status" action={<Button onClick={onRetry}>Try now</Button>}>
      {status.why.message} What you see may be out of date. <Countdown toMs={status.retryAtMs} />
    </Banner>
  );
}

function Countdown({ toMs }: { readonly toMs: number }) {
  const left = Math.ceil((toMs - useNow()) / 1000);
  // Not read out every second.
  return <span aria-hidden="true">{left > 0 ? `Next attempt in ${left} s.` : 'Connecting.'}</span>;
}

/** In place of a view of which nothing has been shown yet. */
export function Unreachable({ status, onRetry }: LostProps) {
  if (status.type !== 'waiting') return null;
  return (
    <Empty title="The server does not answer" icon="offline">
      <p>{status.why.message} The page goes on by itself as soon as it is back.</p>
      <p>
        <Countdown toMs={status.retryAtMs} />
      </p>
      <Button icon="retry" onClick={onRetry}>
        Try now
      </Button>
    </Empty>
  );
}

/** A request was refused, and would be again. */
export function Refused({ why, missing }: { readonly why: ApiFailure; readonly missing: ComponentChildren }) {
  if (why.isForbidden) return <Forbidden why={why} />;
  if (why.status === 404) return <>{missing}</>;
  return (
    <Empty title="The server refuses this" icon="alert">
      <p>
        {why.message} (<code>{why.code}</code>)
      </p>
    </Empty>
  );
}

export function Forbidden({ why }: { readonly why: ApiFailure }) {
  const isTooLittle = why.code === 'ROLE_NEEDED';
  return (
    <div class="gate">
      <Card title={isTooLittle ? 'Your token does not allow this' : 'Sign in to look'}>
        <p class="gate-text">
          {isTooLittle
            ? `${why.message}. Sign in with another token.`
            : 'This server listens on a network, so looking needs a token with the role read, operate or admin.'}
        </p>
        <TokenForm />
      </Card>
    </div>
  );
}
