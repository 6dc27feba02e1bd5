/** The frame of the page: head, what is going on, foot. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { useCell } from '../shared/cell.ts';
import { Icon } from '../shared/icon.tsx';
import { Skeleton } from '../shared/skeleton.tsx';
import { ThemeMenu } from '../shared/theme-menu.tsx';
import { Toasts } from '../shared/toast.tsx';
import type { JoinPage, View } from './join-page.ts';
import { MissingNote } from './missing-note.tsx';
import { ProblemCard } from './problem-card.tsx';
import { RunView } from './run-view.tsx';
import { SetupView } from './setup-view.tsx';

export function App({ page }: { readonly page: JoinPage }) {
  const view = useCell(page.view);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view.type);
  // Whoever listens to the page is brought to what has replaced the old content.
  useEffect(() => {
    if (shown.current !== view.type && view.type !== 'loading')
      main.current?.querySelector<HTMLElement>('h1')?.focus();
    shown.current = view.type;
  }, [view.type]);
  useEffect(() => {
    const where = page.federation === '' ? '' : ` ${page.federation}`;
    document.title = `Take part in${where} — Kindred`.replace('in —', '—');
  }, [page]);
  return (
    <>
      <Head federation={page.federation} />
      <main class="page" ref={main} aria-busy={view.type === 'loading'}>
        <MissingNote page={page} />
        <Content page={page} view={view} />
      </main>
      <Toasts />
    </>
  );
}

function Content({ page, view }: { readonly page: JoinPage; readonly view: View }) {
  switch (view.type) {
    case 'loading':
      return <Loading />;
    case 'nowhere':
      return <Nowhere />;
    case 'unavailable':
      return (
        <Narrow>
          <ProblemCard
            problem={view.problem}
            level="page"
            actions={{
              reload: () => location.reload(),
              retry: () => page.open(),
              'start over': () => page.startOver(undefined),
            }}
          />
        </Narrow>
      );
    case 'setup':
      return <SetupView page={page} setup={view.setup} />;
    case 'run':
      return <RunView page={page} run={view.run} />;
  }
}

function Head({ federation }: { readonly federation: string }) {
  return (
    <header class="head">
      <a class="head-brand" href="/">
        <Icon name="federation" size={20} />
        Kindred
      </a>
      {federation !== '' && <span class="head-place">{federation}</span>}
      <ThemeMenu />
    </header>
  );
}

function Narrow({ children }: { readonly children: ComponentChildren }) {
  return <div class="narrow">{children}</div>;
}

function Loading() {
  return (
    <div class="setup" role="status">
      <span class="visually-hidden">Loading</span>
      <div class="setup-main">
        <Skeleton height="2rem" width="60%" />
        <Skeleton height="1rem" width="85%" />
        <Skeleton height="15rem" />
      </div>
      <Skeleton height="20rem" />
    </div>
  );
}

function Nowhere() {
  return (
    <Narrow>
      <section class="card notice">
        <Icon name="search" size={28} />
        <h1 tabIndex={-1}>Which federation?</h1>
        <p>
          This address does not name one. Open the link that you were given: it looks like{' '}
          <code>{location.origin}/join/name</code>
        </p>
        <Button onClick={() => location.assign('/')}>See what this server has</Button>
      </section>
    </Narrow>
  );
}
