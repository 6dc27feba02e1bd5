/**
 * Recording labelled motion: where it comes from, what is being recorded, and what the models make of it. Features, training and predictions are
 * the worker's; this is what the panel shows of them.
 */
import type { Recording } from '../../data/generate-motion.ts';
import { ACTIVITIES, type Activity } from '../../data/motion-signals.ts';
import {
  KEPT,
  LEARNT,
  Resampler,
  type Sample,
  type Window,
  WindowCutter,
} from '../../data/motion-windows.ts';
import { Cell } from '../shared/cell.ts';
import type { Remote } from '../shared/worker-calls.ts';
import { askForMotion, DeviceMotion, type DeviceState, initialState } from './device-motion.ts';
import type { MotionSource } from './motion-source.ts';
import type { Checked, Guesses, MotionWork, SharedModel } from './motion-work.ts';
import { PLAYED, PlayedMotion } from './played-motion.ts';
import { Recorder } from './recorder.ts';
import { Trace } from './trace.ts';

export interface SessionState {
  readonly from: 'device' | 'played';
  readonly device: DeviceState;
  /** Place in PLAYED. */
  readonly person: number;
  readonly recording: { readonly activity: Activity; readonly share: number } | undefined;
  readonly recordings: readonly Recording[];
  /** Undefined: it is being trained. */
  readonly shared: SharedModel | undefined;
  readonly guesses: Guesses | undefined;
  readonly checked: Checked | undefined;
  readonly failure: string | undefined;
}

/** The people whom the shared model is trained on. */
const SEED = 1;
const WINDOWS = LEARNT + KEPT;

export class MotionSession {
  readonly state: Cell<SessionState>;
  readonly trace = new Trace();
  private readonly work: Remote<MotionWork>;
  private source: MotionSource | undefined;
  private recorder: Recorder | undefined;
  /** One question at a time: a slow device skips windows. */
  private isGuessing = false;
  private readonly cutter = new WindowCutter((window) => void this.guess(window));
  private resampler: Resampler;

  constructor(
    work: Remote<MotionWork>,
    page: { readonly isSecureContext: boolean; readonly isPhone: boolean },
  ) {
    this.work = work;
    this.resampler = this.newResampler();
    this.state = new Cell<SessionState>({
      ...{ from: page.isPhone ? 'device' : 'played', device: initialState(page), person: 0 },
      ...{ recording: undefined, recordings: [], shared: undefined },
      ...{ guesses: undefined, checked: undefined, failure: undefined },
    });
  }

  async open(): Promise<void> {
    if (this.state.value.from === 'played') this.play();
    await this.attempt(async () => this.set({ shared: await this.work.prepare(SEED) }));
  }

  close(): void {
    this.source?.stop();
  }

  use(from: SessionState['from']): void {
    if (from === this.state.value.from) return;
    this.forgetAll({ from });
    if (from === 'played') this.play();
  }

  /** Somebody else's recordings are not one's own. */
  choosePerson(person: number): void {
    this.forgetAll({ person });
    this.play();
  }

  async askDevice(): Promise<void> {
    this.set({ device: 'asking' });
    const answer = await askForMotion();
    if (answer !== 'granted') return this.set({ device: answer });
    this.listen(new DeviceMotion(() => this.set({ device: 'silent', recording: undefined })));
  }

  /** Of a played person it says what the person does; of oneself it is what one claims to do. */
  record(activity: Activity): void {
    if (this.source instanceof PlayedMotion) {
      this.source.perform(activity);
      this.cutter.reset();
    }
    this.recorder = new Recorder(activity);
    this.set({ recording: { activity, share: 0 }, guesses: undefined });
  }

  cancel(): void {
    this.recorder = undefined;
    this.set({ recording: undefined });
  }

  /** The last one of this activity. */
  async forget(activity: Activity): Promise<void> {
    const { recordings } = this.state.value;
    const last = recordings.findLastIndex((one) => one.activity === activity);
    await this.learn(recordings.filter((_, i) => i !== last));
  }

  /** As a file of rows for a federation. */
  async rows(): Promise<Blob> {
    return new Blob([await this.work.rowsFile()], { type: 'text/csv' });
  }

  private play(): void {
    this.listen(new PlayedMotion(PLAYED[this.state.value.person]));
  }

  private listen(source: MotionSource): void {
    this.source?.stop();
    this.source = source;
    this.trace.clear();
    this.cutter.reset();
    this.resampler = this.newResampler();
    source.start((sample) => this.heard(sample));
  }

  private heard(sample: Sample): void {
    if (this.state.value.from === 'device' && this.state.value.device !== 'live')
      this.set({ device: 'live' });
    this.resampler.push(sample);
  }

  private newResampler(): Resampler {
    return new Resampler(
      (x, y, z) => this.took(x, y, z),
      () => {
        this.cutter.reset();
        this.recorder?.reset();
      },
    );
  }

  private took(x: number, y: number, z: number): void {
    this.trace.push(x, y, z);
    this.cutter.push(x, y, z);
    const { recorder } = this;
    if (!recorder) return;
    const samples = recorder.push(x, y, z);
    if (!samples) {
      this.showShare(recorder);
      return;
    }
    this.recorder = undefined;
    void this.learn([...this.state.value.recordings, { activity: recorder.activity, samples }]);
  }

  /** In steps that can be seen, not with every sample. */
  private showShare({ activity, share }: Recorder): void {
    const shown = Math.floor(50 * share) / 50;
    if (shown !== this.state.value.recording?.share) this.set({ recording: { activity, share: shown } });
  }

  private async learn(recordings: readonly Recording[]): Promise<void> {
    this.set({ recordings, recording: undefined });
    await this.attempt(async () => {
      const checked = await this.work.learn(recordings);
      if (this.state.value.recordings === recordings) this.set({ checked });
    });
  }

  private async guess(window: Window): Promise<void> {
    if (this.isGuessing || !this.state.value.shared) return;
    this.isGuessing = true;
    await this.attempt(async () => this.set({ guesses: await this.work.guess(window) }));
    this.isGuessing = false;
  }

  private forgetAll(changes: Partial<SessionState>): void {
    this.source?.stop();
    this.source = undefined;
    this.recorder = undefined;
    this.trace.clear();
    const device = initialState(globalThis as { isSecureContext: boolean });
    this.set({ ...changes, device, recording: undefined, guesses: undefined, checked: undefined });
    void this.learn([]);
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.set({ failure: (error as Error).message });
    }
  }

  private set(changes: Partial<SessionState>): void {
    this.state.set({ ...this.state.value, ...changes });
  }
}

/** Windows of each activity, in their order. */
export function windowCounts(recordings: readonly Recording[]): readonly number[] {
  return ACTIVITIES.map((activity) => WINDOWS * recordings.filter((one) => one.activity === activity).length);
}
