/**
 * Random Fourier features (Rahimi and Recht 2007): with frequencies omega_j drawn at random, the map
 *
 *   phi(x) = sqrt(2/m) (cos omega_1.x, sin omega_1.x, ..., cos omega_(m/2).x, sin omega_(m/2).x)
 *
 * has phi(x).phi(y) close to exp(-gamma |x - y|^2), the more so the larger m, and |phi(x)| = 1. A model that is linear in phi(x) is close to a
 * kernel machine, and everything that is done with rows can be done with mapped rows. The frequencies follow from a seed, so all who
 * know it map alike; cosines are portable and the products those of the kernels, so the bits are the same on every machine.
 */
import { Arena } from '../math/arena.ts';
import { putCosineSine } from '../math/cosine.ts';
import { type Address, padded } from '../math/kernels.ts';
import type { FeatureMap } from '../settings/feature-map.ts';
import { frequenciesOf } from './frequencies.ts';

export class RandomFeatures {
  /** The scaled row that `put` maps: put it here first. */
  readonly input: Float64Array;
  private readonly arena: Arena;
  private readonly stride: number;
  /** f32, a row for each. */
  private readonly frequencies: Address;
  private readonly x: Address;
  private readonly angles: Address;
  private readonly count: number;

  /** `arena`: its own, in which nothing else is allocated. */
  constructor(map: FeatureMap, features: number, arena = new Arena()) {
    this.arena = arena;
    const rows = frequenciesOf(map, features);
    this.count = map.count;
    this.stride = padded(features);
    this.frequencies = arena.allocate(4 * rows.length * this.stride);
    this.x = arena.allocate(8 * this.stride);
    this.angles = arena.allocate(8 * rows.length);
    for (const [j, row] of rows.entries()) {
      arena.f32(this.frequencies + 4 * j * this.stride, features).set(row);
    }
    // Nothing more is allocated, so the view stays valid.
    this.input = arena.f64(this.x, features);
  }

  /** Puts phi of the row in `input` into `out` from `at` on. */
  put(out: Float64Array | Float32Array, at: number): void {
    const pairs = this.count / 2;
    const scale = Math.sqrt(1 / pairs);
    this.arena.kernels.margins(this.frequencies, pairs, this.stride, this.x, this.angles);
    const angles = this.arena.f64(this.angles, pairs);
    for (let j = 0; j < pairs; j++) putCosineSine(angles[j], scale, out, at + 2 * j);
  }
}

/** A search over C1 and C2 maps with one map a hundred times, and to draw the frequencies takes longer than to map many rows. */
const KEPT = 2;
const kept = new Map<string, RandomFeatures>();

export function randomFeatures(map: FeatureMap, features: number): RandomFeatures {
  const name = [map.kind, map.count, map.gamma, map.seed, features].join(' ');
  const made = kept.get(name) ?? new RandomFeatures(map, features);
  kept.delete(name);
  kept.set(name, made);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return made;
}
