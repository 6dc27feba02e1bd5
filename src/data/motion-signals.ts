/**
 * People who walk, stand, sit and shake a phone, made from a seed: plausible acceleration, not recorded from anybody. For the model that the demo
 * starts from, and for screens without a sensor.
 *
 *     a(t) = turn of the phone (gravity in the posture + movement(t)) + noise of the sensor
 *
 * People differ in where they carry the phone (a thigh turns when one sits down, a chest hardly does), in how it lies there, in rhythm and in
 * strength. That is what a shared model cannot know and a personal part can.
 */
import { type Stream, stream } from '../base/random.ts';
import { RATE } from './motion-windows.ts';

export const ACTIVITIES = ['walking', 'standing', 'sitting', 'shaking'] as const;
export type Activity = (typeof ACTIVITIES)[number];

export const PLACES = ['trouser pocket', 'jacket pocket', 'hand'] as const;
export type Place = (typeof PLACES)[number];

const GRAVITY = 9.81;

type Vector = readonly [number, number, number];

interface Person {
  readonly place: Place;
  /** Directions of gravity as the phone sees it. */
  readonly upright: Vector;
  readonly seated: Vector;
  readonly stepHz: number;
  readonly bounce: number;
  readonly swing: number;
  readonly sway: number;
  readonly shakeHz: number;
  readonly shakeStrength: number;
  readonly shakeAxis: Vector;
  readonly noise: number;
}

/** How far, in radians, the phone turns when somebody sits down: middle and spread. */
const TURN: Readonly<Record<Place, readonly [number, number]>> = {
  'trouser pocket': [1.35, 0.15],
  'jacket pocket': [0.3, 0.1],
  hand: [0.55, 0.15],
};
/** How far it leans when somebody stands. */
const LEAN: Readonly<Record<Place, readonly [number, number]>> = {
  'trouser pocket': [0.15, 0.1],
  'jacket pocket': [0.25, 0.15],
  hand: [0.9, 0.15],
};

/** `place` undefined: most carry it in a trouser pocket. */
function makePerson(random: Stream, given: Place | undefined): Person {
  const drawn = random.uniform();
  const place = given ?? (drawn < 0.7 ? 'trouser pocket' : drawn < 0.85 ? 'jacket pocket' : 'hand');
  const around = ([middle, spread]: readonly [number, number]) => middle + spread * random.normal();
  const between = (low: number, high: number) => low + (high - low) * random.uniform();
  const lean = around(LEAN[place]);
  const twist = 0.25 * random.normal();
  return {
    place,
    upright: direction(lean, twist),
    seated: direction(lean + around(TURN[place]), twist),
    stepHz: between(1.5, 2.2),
    bounce: between(1.2, 3.2) * (place === 'hand' ? 0.6 : 1),
    swing: between(0.4, 1.6),
    sway: between(0.03, 0.12),
    shakeHz: between(3.2, 5.5),
    shakeStrength: between(7, 16),
    shakeAxis: unit([random.normal(), random.normal(), random.normal()]),
    noise: between(0.03, 0.08),
  };
}

/** Gravity along y where the phone is upright, along z where it lies on its back; turned a little about its long side. */
function direction(lean: number, twist: number): Vector {
  return unit([Math.sin(twist), Math.cos(lean) * Math.cos(twist), Math.sin(lean) * Math.cos(twist)]);
}

function unit([x, y, z]: Vector): Vector {
  const size = Math.hypot(x, y, z) || 1;
  return [x / size, y / size, z / size];
}

/** Samples of one activity, `count` x 3, in m/s². */
function drawSignal(person: Person, activity: Activity, count: number, random: Stream): Float64Array {
  const gravity = activity === 'sitting' ? person.seated : person.upright;
  const side = unit([gravity[1], -gravity[0], 0.2]);
  const ahead = unit(cross(gravity, side));
  const out = new Float64Array(3 * count);
  let phase = 2 * Math.PI * random.uniform();
  const slow = 2 * Math.PI * random.uniform();
  const pace = 1 + 0.04 * random.normal();
  const strength = 1 + 0.12 * random.normal();
  const tilt = [random.normal(), random.normal(), random.normal()].map((value) => 0.25 * value);
  for (let i = 0; i < count; i++) {
    const t = i / RATE;
    const { up, sideways, forward, along } = movement(person, activity, { t, phase, slow, strength });
    const hz = activity === 'shaking' ? person.shakeHz : person.stepHz;
    // Nobody keeps time like a clock.
    phase += (2 * Math.PI * hz * pace * (1 + 0.08 * random.normal())) / RATE;
    for (let a = 0; a < 3; a++) {
      const moved = up * gravity[a] + sideways * side[a] + forward * ahead[a] + along * person.shakeAxis[a];
      out[3 * i + a] = GRAVITY * gravity[a] + tilt[a] + moved + person.noise * random.normal();
    }
  }
  return out;
}

interface Moment {
  readonly t: number;
  readonly phase: number;
  readonly slow: number;
  readonly strength: number;
}

function movement(person: Person, activity: Activity, { t, phase, slow, strength }: Moment) {
  const { bounce, swing, sway, shakeStrength } = person;
  const drift = Math.sin(2 * Math.PI * 0.35 * t + slow);
  switch (activity) {
    case 'walking':
      return {
        up:
          strength *
          bounce *
          (Math.sin(phase) + 0.45 * Math.sin(2 * phase + 0.8) + 0.2 * Math.sin(3 * phase)),
        sideways: strength * swing * Math.sin(phase / 2 + slow),
        forward: 0.5 * strength * bounce * Math.sin(phase + 1.3),
        along: 0,
      };
    case 'shaking':
      return {
        up: 0.2 * shakeStrength * Math.sin(phase / 2),
        sideways: 0.6 * drift,
        forward: 0.15 * shakeStrength * Math.sin(2 * phase),
        along: strength * shakeStrength * Math.sin(phase),
      };
    case 'standing':
      return {
        up: 0.3 * sway * drift,
        sideways: sway * drift,
        forward: sway * Math.sin(0.5 * t + slow),
        along: 0,
      };
    case 'sitting':
      return {
        up: 0.1 * sway * drift,
        sideways: 0.4 * sway * drift,
        forward: 0.3 * sway * Math.sin(t),
        along: 0,
      };
  }
}

function cross([a, b, c]: Vector, [x, y, z]: Vector): Vector {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

/** Somebody whose every signal follows from the seed and a number; `place`: where this one carries the phone. */
export class GeneratedPerson {
  readonly place: Place;
  private readonly seed: number;
  private readonly number: number;
  private readonly person: Person;

  constructor(seed: number, number: number, place?: Place) {
    this.seed = seed;
    this.number = number;
    this.person = makePerson(stream(seed, 'motion person', 0, number), place);
    this.place = this.person.place;
  }

  /** The `take`th time that this person does it; `count` samples at the common rate, x 3. */
  signal(activity: Activity, take: number, count: number): Float64Array {
    return drawSignal(
      this.person,
      activity,
      count,
      stream(this.seed, `motion ${activity}`, take, this.number),
    );
  }
}
