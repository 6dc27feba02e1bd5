/** The page: a model, rows, and the personal model that comes of both. */
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { useCell } from '../shared/cell.ts';
import { Icon } from '../shared/icon.tsx';
import { ThemeMenu } from '../shared/theme-menu.tsx';
import { Toasts } from '../shared/toast.tsx';
import type { Desk, DeskState } from './desk.ts';
import { ModelStep } from './model-step.tsx';
import { ResultView } from './result-view.tsx';
import { RowsStep } from './rows-step.tsx';

export function App({ desk }: { readonly desk: Desk }) {
  const state = useCell(desk.state);
  const { model, rows, busy, result } = state;
  const isEmpty = !model && !rows && busy === undefined;
  return (
    <>
      <header class="head">
        <a class="head-brand" href="/">
          <Icon name="federation" size={20} />
          Kindred
        </a>
        <span class="head-place">Personalise</span>
        <ThemeMenu />
      </header>
      <main class="page" aria-busy={busy !== undefined}>
        <div class="welcome">
          <h1>Make a model yours</h1>
          <p>
            Drop a shared model and a table of your own. This page fits a personal part to your rows and shows
            what it changes.
          </p>
          <ul class="promises">
            <li>
              <Icon name="check" /> Nothing is uploaded: no file, no row, no model
            </li>
            <li>
              <Icon name="check" /> Works offline once the page is open
            </li>
            <li>
              <Icon name="check" /> The same result as <code>kindred personalise</code>
            </li>
          </ul>
          <div class="buttons">
            {isEmpty ? (
              <Button icon="spark" onClick={() => void desk.takeExample()}>
                Try it with an example
              </Button>
            ) : (
              <Button icon="retry" disabled={busy === 'example'} onClick={() => desk.startOver()}>
                Start over
              </Button>
            )}
          </div>
        </div>
        <div class="steps">
          <ModelStep desk={desk} state={state} />
          <RowsStep desk={desk} state={state} />
        </div>
        <Status desk={desk} />
        {result && <ResultView key={keyOf(state)} desk={desk} result={result} />}
      </main>
      <Toasts />
    </>
  );
}

/** Another file is another result, whatever was chosen in the one before. */
function keyOf({ model, rows }: DeskState): string {
  return `${model?.name} ${rows?.name}`;
}

/** For screen readers, and to bring the result into view. */
function Status({ desk }: { readonly desk: Desk }) {
  const { busy, result, trouble } = useCell(desk.state);
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (result) line.current?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  }, [result !== undefined]);
  const text =
    busy === 'fit'
      ? 'Fitting the personal part…'
      : busy === 'example'
        ? 'Making an example: people who carry a phone…'
        : result && !trouble
          ? 'Done: the personal model is ready.'
          : '';
  return (
    <p class={result ? 'visually-hidden' : 'status'} role="status" ref={line}>
      {busy === 'fit' || busy === 'example' ? <span class="status-dot" /> : null}
      {text}
    </p>
  );
}
