/**
 * `local` and `global`: the plain soft-margin problem 1/2 |w|^2 + C1 sum c loss, one model per participant or one for
 * everybody. Both are a set of independent problems (K of them, or one), solved side by side: a round is one local solve
 * of every problem that is not finished, then its exact gap.
 */
import { seed32 } from '../base/random.ts';
import { type Certificate, certificateOf } from '../solver/certificate.ts';
import { localTolerance } from '../solver/local-solve.ts';
import { ALONE, type Iterate } from './alone.ts';
import type { HistoryRow, Method, Trajectory } from './method.ts';
import { type Asking, type AskingInput, type AskingMethod, ask, inProcess, settle } from './questions.ts';
import { blocksOfTasks, pooledBlocks } from './workspace.ts';

export const LOCAL: AskingMethod = {
  problem: (settings) => ({ ...settings, c2: ALONE }),
  *run(input) {
    const w = new Float64Array(input.d);
    const { ends, ...trajectory } = yield* solveAll(input, (problems) => ({
      w,
      personal: (k) => problems[k].u,
    }));
    return {
      ...trajectory,
      w,
      v: ends.map(({ u }) => u),
      servesNewcomers: false,
      duals: ends.map(({ beta }) => beta),
    };
  },
};

export const trainLocal: Method = inProcess(LOCAL);

export const trainGlobal: Method = (input) => {
  const { tasks, d, heads } = input.workspace;
  const duals = input.warmStart?.duals;
  const shard = input.workspace.pooled({ ...input.settings, c2: ALONE });
  const zero = new Float64Array(d);
  const pooled: AskingInput = {
    ...input,
    tasks: [{ id: 'all' }],
    d,
    heads,
    warmStart: duals && { w: zero, duals: [pooledBlocks(tasks, (_, k) => duals[k])] },
  };
  const asking = solveAll(pooled, ([problem]) => ({ w: problem.u, personal: () => zero }));
  const { ends, ...trajectory } = settle(asking, [shard]);
  const [{ u, beta }] = ends;
  return {
    ...trajectory,
    w: u,
    v: tasks.map(() => zero),
    servesNewcomers: true,
    duals: blocksOfTasks(tasks, beta),
  };
};

/** Solves grow longer from round to round: computing the gap costs as much as several passes over shrunk rows. */
const FIRST_PASSES = 20;
const LONGER = 1.5;

function* solveAll(
  { tasks, settings, warmStart, onRound }: AskingInput,
  model: (problems: readonly Iterate[]) => { readonly w: Float64Array; personal(k: number): Float64Array },
): Asking<Trajectory & { readonly ends: readonly Iterate[] }> {
  const history: HistoryRow[] = [];
  const ends = [...(yield* ask('beginAlone', [...tasks.keys()], (k) => warmStart?.duals?.[k]))];
  let passes = 0;
  for (let round = 0; ; round++) {
    const proof = totalOf(ends);
    const row = { round, ...proof };
    history.push(row);
    onRound?.({ row, ...model(ends) });
    // Each problem meets the target by itself, then so does their sum.
    const open = [...ends.keys()].filter((k) => ends[k].proof.relativeGap > settings.gap);
    if (open.length === 0 || round === settings.rounds) {
      const stopped = open.length === 0 ? ('gap' as const) : ('rounds' as const);
      const largestGap = open.reduce((most, k) => Math.max(most, ends[k].proof.relativeGap), 0);
      const unfinished = { problems: open.length, of: ends.length, largestGap };
      return {
        ...{ certificate: proof, rounds: round, passes, history, stopped, ends },
        ...(open.length > 0 && { unfinished }),
      };
    }
    const most = Math.min(settings.passes, Math.ceil(FIRST_PASSES * LONGER ** round));
    const improved = yield* ask('improveAlone', open, (k) => ({
      tolerance: localTolerance(ends[k].proof.relativeGap),
      passes: most,
      seed: seed32(settings.seed, 'solve', round, tasks[k].id),
    }));
    for (const [i, k] of open.entries()) {
      ends[k] = improved[i];
      passes += improved[i].passes;
    }
  }
}

function totalOf(problems: readonly Iterate[]): Certificate {
  let primal = 0;
  let dual = 0;
  for (const { proof } of problems) {
    primal += proof.primal;
    dual += proof.dual;
  }
  return certificateOf(primal, dual);
}
