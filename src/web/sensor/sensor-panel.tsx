/**
 * Labelled motion of this device, or of a made-up person on screens without a sensor: press what you do, keep doing it for ten seconds, and see the
 * shared model become yours. What was recorded are rows for a federation whose columns are these features (docs/quickstart.md).
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ACTIVITIES, type Activity } from '../../data/motion-signals.ts';
import { RECORDING_MS } from '../../data/motion-windows.ts';
import type { DataSource } from '../join/read-rows.ts';
import { Banner } from '../shared/banner.tsx';
import { Button } from '../shared/button.tsx';
import { useCell } from '../shared/cell.ts';
import { Field } from '../shared/field.tsx';
import { counted, percent } from '../shared/format.ts';
import { Icon } from '../shared/icon.tsx';
import { Meter } from '../shared/meter.tsx';
import { Segments } from '../shared/segments.tsx';
import { WorkerCalls } from '../shared/worker-calls.ts';
import { DeviceNote } from './device-note.tsx';
import { GuessView } from './guess-view.tsx';
import type { MotionWork } from './motion-work.ts';
import { PLAYED, SPEED } from './played-motion.ts';
import { MotionSession, type SessionState, windowCounts } from './session.ts';
import { TraceView } from './trace-view.tsx';
import './sensor.css';

interface SensorPanelProps {
  /** Everything that was recorded, whenever somebody takes it. */
  onRows(source: DataSource): void;
}

const WORDS: Readonly<Record<Activity, string>> = {
  walking: 'Walking',
  standing: 'Standing',
  sitting: 'Sitting',
  shaking: 'Shaking',
};

/** One class is nothing to tell apart. */
const FEWEST_ACTIVITIES = 2;

function newWorker(): Worker {
  return new Worker(new URL('./motion.worker.ts', import.meta.url), { type: 'module', name: 'motion' });
}

export function SensorPanel({ onRows }: SensorPanelProps) {
  const worker = useMemo(() => new WorkerCalls<MotionWork>(newWorker), []);
  const session = useMemo(() => {
    const isPhone = matchMedia('(pointer: coarse)').matches;
    return new MotionSession(worker.calls, { isSecureContext, isPhone });
  }, [worker]);
  useEffect(() => {
    void session.open();
    return () => {
      session.close();
      worker.close();
    };
  }, [session, worker]);
  const state = useCell(session.state);
  const isLive = state.from === 'played' || state.device === 'live';
  return (
    <div class="sensor">
      <Where session={session} state={state} />
      {state.from === 'device' && state.device !== 'live' && (
        <DeviceNote session={session} device={state.device} />
      )}
      {isLive && (
        <>
          <TraceView trace={session.trace} label="Acceleration of the last five seconds, three axes" />
          <GuessView state={state} />
          <Labels session={session} state={state} />
        </>
      )}
      {state.failure !== undefined && (
        <Banner tone="bad" icon="alert" role="alert">
          {state.failure}
        </Banner>
      )}
      <Outcome session={session} state={state} onRows={onRows} />
    </div>
  );
}

interface PartProps {
  readonly session: MotionSession;
  readonly state: SessionState;
}

function Where({ session, state: { from, person } }: PartProps) {
  return (
    <div class="sensor-where">
      <Segments
        label="Where the motion comes from"
        value={from}
        options={[
          ['device', 'This device'],
          ['played', 'A made-up person'],
        ]}
        onChange={(value) => session.use(value)}
      />
      {from === 'played' && (
        <Field label="Carries the phone in the">
          {(control) => (
            <select
              {...control}
              class="input"
              value={String(person)}
              onChange={(event) => session.choosePerson(Number(event.currentTarget.value))}
            >
              {PLAYED.map(({ place }, i) => (
                <option key={place} value={String(i)}>
                  {place}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  );
}

function Labels({ session, state }: PartProps) {
  const { recording, recordings, from } = state;
  const counts = windowCounts(recordings);
  const seconds = Math.round(RECORDING_MS / 1000 / (from === 'played' ? SPEED : 1));
  return (
    <section class="labels-part" aria-label="Record">
      <p class="fine" id="labels-help">
        {from === 'played'
          ? `Press what the person should do. It is played and recorded, ${seconds} s each time.`
          : `Press what you are doing, and keep doing it for ${seconds} s with the phone where you carry it.`}
      </p>
      <ul class="labels" aria-describedby="labels-help">
        {ACTIVITIES.map((activity, i) => (
          <li key={activity}>
            <Label
              activity={activity}
              windows={counts[i]}
              share={recording?.activity === activity ? recording.share : undefined}
              isOther={recording !== undefined && recording.activity !== activity}
              onPress={() => (recording ? session.cancel() : session.record(activity))}
              onForget={() => void session.forget(activity)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface LabelProps {
  readonly activity: Activity;
  readonly windows: number;
  /** Of the recording under way; undefined: it is not this one. */
  readonly share: number | undefined;
  readonly isOther: boolean;
  onPress(): void;
  onForget(): void;
}

function Label({ activity, windows, share, isOther, onPress, onForget }: LabelProps) {
  const isRecording = share !== undefined;
  return (
    <div class="label" data-recording={isRecording || undefined}>
      <button
        type="button"
        class="label-button"
        disabled={isOther}
        aria-pressed={isRecording}
        onClick={onPress}
      >
        <span class="label-name">{WORDS[activity]}</span>
        <span class="label-count">
          {isRecording
            ? 'Recording… press to stop'
            : windows === 0
              ? 'Not recorded yet'
              : counted(windows, 'window')}
        </span>
        {isRecording && <Meter share={share} label="Recorded" />}
      </button>
      {windows > 0 && !isRecording && (
        <button
          type="button"
          class="label-forget"
          aria-label={`Delete the last recording of ${activity}`}
          title="Delete the last recording"
          disabled={isOther}
          onClick={onForget}
        >
          <Icon name="trash" size={14} />
        </button>
      )}
    </div>
  );
}

function Outcome({ session, state, onRows }: PartProps & SensorPanelProps) {
  const { recordings, checked, recording } = state;
  const [busy, setBusy] = useState(false);
  const kinds = new Set(recordings.map(({ activity }) => activity)).size;
  const take = async () => {
    setBusy(true);
    const file = await session.rows();
    setBusy(false);
    const choices = {
      label: 'y',
      task: undefined,
      own: undefined,
      drop: [],
      decimal: 'point',
      header: true,
    } as const;
    onRows({ kind: 'file', file, name: 'motion.csv', choices });
  };
  const windows = windowCounts(recordings).reduce((sum, n) => sum + n, 0);
  return (
    <div class="sensor-outcome">
      <p class="fine" aria-live="polite">
        {checked && kinds >= FEWEST_ACTIVITIES
          ? `On ${counted(checked.windows, 'window')} that nothing was learnt from: the shared model recognises ${percent(checked.shared, 0)}, yours ${percent(checked.own, 0)}.`
          : `Record at least ${FEWEST_ACTIVITIES} activities. Nothing leaves this page by recording.`}
      </p>
      <Button
        kind="primary"
        icon="check"
        busy={busy}
        disabled={kinds < FEWEST_ACTIVITIES || recording !== undefined}
        onClick={take}
      >
        {windows > 0 ? `Use these ${counted(windows, 'row')}` : 'Use the rows'}
      </Button>
    </div>
  );
}
