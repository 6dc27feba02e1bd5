/** Signals of a made-up person, played as a sensor would deliver them, only faster. For screens without a sensor. */
import { type Activity, GeneratedPerson, type Place } from '../../data/motion-signals.ts';
import { RATE, RECORDING, type Sample } from '../../data/motion-windows.ts';
import type { MotionSource } from './motion-source.ts';

/** Ten seconds take four. */
export const SPEED = 2.5;
/** The people that the shared model has learnt from are others. */
const SEED = 1;
const FIRST_NUMBER = 101;

export const PLAYED: readonly { readonly place: Place; readonly number: number }[] = [
  { place: 'jacket pocket', number: FIRST_NUMBER },
  { place: 'trouser pocket', number: FIRST_NUMBER + 1 },
  { place: 'hand', number: FIRST_NUMBER + 2 },
];

export class PlayedMotion implements MotionSource {
  private readonly person: GeneratedPerson;
  private activity: Activity = 'standing';
  private samples: Float64Array = new Float64Array(0);
  private take = 0;
  private next = 0;
  /** Of the signal, in ms: faster than the clock. */
  private startedMs = 0;
  private given = 0;
  /** Of all times: the clock of the samples. */
  private count = 0;
  private frame: number | undefined;

  constructor({ place, number }: (typeof PLAYED)[number]) {
    this.person = new GeneratedPerson(SEED, number, place);
    this.perform('standing');
  }

  /** From the beginning of another recording of it. */
  perform(activity: Activity): void {
    this.activity = activity;
    this.samples = this.person.signal(activity, this.take++, RECORDING);
    this.next = 0;
  }

  start(onSample: (sample: Sample) => void): void {
    this.stop();
    this.startedMs = performance.now();
    this.given = 0;
    const play = () => {
      const due = Math.floor(((performance.now() - this.startedMs) * SPEED * RATE) / 1000);
      // A tab that slept does not make up for it.
      if (due - this.given > RATE) this.given = due - RATE;
      for (; this.given < due; this.given++) onSample(this.sample());
      this.frame = requestAnimationFrame(play);
    };
    this.frame = requestAnimationFrame(play);
  }

  stop(): void {
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
  }

  private sample(): Sample {
    if (3 * this.next >= this.samples.length) this.perform(this.activity);
    const i = 3 * this.next++;
    const [x, y, z] = this.samples.subarray(i, i + 3);
    return { atMs: (1000 * this.count++) / RATE, x, y, z };
  }
}
