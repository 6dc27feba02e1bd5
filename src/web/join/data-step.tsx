/** Where the rows come from: a file of one's own, made-up ones, or the sensors of the device. */
import type { Ref } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { useCell } from '../shared/cell.ts';
import { Icon, type IconName } from '../shared/icon.tsx';
import type { Way } from './data-desk.ts';
import { FilePanel } from './file-panel.tsx';
import type { JoinPage, Setup } from './join-page.ts';
import type { DemoPerson } from './link.ts';
import { ProblemCard } from './problem-card.tsx';
import { SensorSlot } from './sensor-slot.tsx';
import { SummaryList } from './summary-list.tsx';

interface DataStepProps {
  readonly page: JoinPage;
  readonly setup: Setup;
  readonly focusRef: Ref<HTMLElement>;
}

const WAYS: readonly {
  readonly way: Way;
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
}[] = [
  { way: 'file', icon: 'file', title: 'A file of mine', text: 'CSV or Parquet' },
  { way: 'demo', icon: 'spark', title: 'Demo data', text: 'A made-up person, one click' },
  { way: 'sensor', icon: 'motion', title: 'Motion', text: 'Record it with your phone' },
];

/** People of the demo that the processes of `kindred demo` are not. */
const FIRST_GUEST = 101;
const GUESTS = 900;

function someGuest(): DemoPerson {
  return { seed: 1, person: FIRST_GUEST + Math.floor(GUESTS * Math.random()) };
}

export function DataStep({ page, setup, focusRef }: DataStepProps) {
  const { desk, announcement } = setup;
  const state = useCell(desk.state);
  const { way, source, summary, isBusy, problem } = state;
  const [mover] = useState(() => `motion-${FIRST_GUEST + Math.floor(GUESTS * Math.random())}`);
  const takeDemo = () => {
    const demo = page.link.demo ?? someGuest();
    void desk.takeDemo(demo, page.nameOr(`demo-${demo.person}`));
  };
  const choose = (chosen: Way) => {
    if (chosen === 'demo') takeDemo();
    else desk.choose(chosen);
  };
  return (
    <section class="card step" aria-labelledby="data-title" ref={focusRef} tabIndex={-1}>
      <div class="step-head">
        <h2 id="data-title">Your data</h2>
        <span class="card-note">They are read here and stay here.</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a look of its own that cannot be taken from it everywhere */}
      <div class="ways" role="group" aria-labelledby="data-title">
        {WAYS.map(({ way: option, icon, title, text }) => (
          <button
            key={option}
            type="button"
            class="way"
            aria-pressed={option === (way ?? 'file')}
            disabled={option !== 'file' && announcement.objective === 'regression'}
            onClick={() => choose(option)}
          >
            <Icon name={icon} size={20} />
            <span class="way-title">{title}</span>
            <span class="way-text">
              {option !== 'file' && announcement.objective === 'regression'
                ? 'Only where classes are predicted'
                : text}
            </span>
          </button>
        ))}
      </div>
      {(way === undefined || way === 'file') && <FilePanel page={page} desk={desk} />}
      {way === 'demo' && (
        <div class="demo fine">
          <p>
            Phone sensor data of a made-up person: is this person sitting? For federations on the same demo
            data, such as that of <code>npm start</code>.
          </p>
          {page.link.demo === undefined && source && (
            <Button icon="retry" onClick={takeDemo}>
              Somebody else
            </Button>
          )}
        </div>
      )}
      {way === 'sensor' && <SensorSlot onRows={(rows) => void desk.take(rows, page.nameOr(mover))} />}
      {problem && (
        <ProblemCard problem={problem} level="part" actions={{ reload: () => location.reload() }} />
      )}
      <div aria-live="polite">
        {isBusy && <p class="fine">Reading…</p>}
        {summary && source && <SummaryList summary={summary} source={source} />}
      </div>
    </section>
  );
}
