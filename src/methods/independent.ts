/**
 * `local` and `global`: the plain soft-margin problem 1/2 |w|^2 + C1 sum c loss, one model per participant or one for
 * everybody. Both are a set of independent problems (K of them, or one), solved side by side: a round is one local solve
 * of every problem that is not finished, then an exact look at its gap.
 */
import { seed32 } from '../base/random.ts';
import {
  type Certificate,
  certificate,
  certificateOf,
  dot,
  LocalSolve,
  localTolerance,
  type Shard,
} from '../solver/index.ts';
import type { HistoryRow, Method, MethodInput } from './method.ts';
import { concatenate } from './workspace.ts';

/** C2 = Infinity: no personal part beside the one model. */
const ALONE = Number.POSITIVE_INFINITY;

export const trainLocal: Method = (input) => {
  const { tasks, d } = input.workspace;
  const shards = input.workspace.each({ ...input.settings, c2: ALONE });
  const w = new Float64Array(d);
  const problems = shards.map((shard, k) => new Problem(tasks[k].id, shard, input.warmStart?.[k]));
  const course = solveAll(input, problems, { w, personal: (k) => problems[k].u });
  return {
    ...course,
    w,
    v: problems.map((problem) => problem.u),
    servesNewcomers: false,
    duals: problems.map((problem) => problem.beta),
  };
};

export const trainGlobal: Method = (input) => {
  const { tasks, d } = input.workspace;
  const shard = input.workspace.pooled({ ...input.settings, c2: ALONE });
  const zero = new Float64Array(d);
  const problem = new Problem('all', shard, input.warmStart && concatenate(input.warmStart));
  const course = solveAll(input, [problem], {
    get w() {
      return problem.u;
    },
    personal: () => zero,
  });
  let at = 0;
  return {
    ...course,
    w: problem.u,
    v: tasks.map(() => zero),
    servesNewcomers: true,
    duals: tasks.map((task) => problem.beta.slice(at, (at += task.n))),
  };
};

/** One soft-margin problem on its way to the target gap. */
class Problem {
  readonly id: string;
  readonly shard: Shard;
  beta: Float64Array;
  u: Float64Array;
  proof: Certificate;
  passes = 0;

  constructor(id: string, shard: Shard, dual: Float64Array | undefined) {
    this.id = id;
    this.shard = shard;
    this.beta = shard.startingBeta(dual);
    this.u = shard.combine(this.beta);
    this.proof = this.examine();
  }

  /** sigma = 1 and no personal part: nobody else moves, and the step is LIBLINEAR's. */
  improve(most: number, seed: number): void {
    const tolerance = localTolerance(this.proof.relativeGap);
    const solve = new LocalSolve(this.shard, { sigma: 1, tolerance, seed });
    solve.runPasses(most);
    this.passes += solve.passes;
    this.beta = this.shard.beta;
    this.u = this.shard.combine(this.beta);
    this.proof = this.examine();
  }

  private examine(): Certificate {
    const { shard, beta, u } = this;
    shard.load(beta, u);
    const uNorm2 = dot(u, u);
    return certificate(uNorm2, ALONE, [{ loss: shard.loss(), dualSum: shard.dualSum(beta), uNorm2 }]);
  }
}

/** Solves grow longer from round to round: a look at the gap costs as much as several passes over shrunk rows. */
const FIRST_PASSES = 20;
const LONGER = 1.5;

function solveAll(
  { settings, onRound }: MethodInput,
  problems: readonly Problem[],
  model: { readonly w: Float64Array; personal(k: number): Float64Array },
) {
  const history: HistoryRow[] = [];
  for (let round = 0; ; round++) {
    const proof = totalOf(problems);
    const row = { round, ...proof };
    history.push(row);
    onRound?.({ row, w: model.w, personal: model.personal });
    // Each problem meets the target by itself, then so does their sum.
    const open = problems.filter((problem) => problem.proof.relativeGap > settings.gap);
    if (open.length === 0 || round === settings.rounds) {
      const passes = problems.reduce((sum, problem) => sum + problem.passes, 0);
      const stopped = open.length === 0 ? ('gap' as const) : ('rounds' as const);
      return { certificate: proof, rounds: round, passes, history, stopped };
    }
    const most = Math.min(settings.passes, Math.ceil(FIRST_PASSES * LONGER ** round));
    for (const problem of open) problem.improve(most, seed32(settings.seed, 'solve', round, problem.id));
  }
}

function totalOf(problems: readonly Problem[]): Certificate {
  let primal = 0;
  let dual = 0;
  for (const { proof } of problems) {
    primal += proof.primal;
    dual += proof.dual;
  }
  return certificateOf(primal, dual);
}
