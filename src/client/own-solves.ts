/** The solves of a participation on its own rows: how much work they were, and the report of tests that goes with an answer. */
import type { SolveRequest, SolveResult } from '../participant/effects.ts';
import type { OwnRows } from './own-rows.ts';
import type { Solver } from './ports.ts';

export class OwnSolves implements Solver {
  /** Local passes so far. */
  passes = 0;
  /** The last solve took so long. */
  solveMs: number | undefined;
  private readonly rows: OwnRows;
  private request: SolveRequest | undefined;

  constructor(rows: OwnRows) {
    this.rows = rows;
  }

  prepare(...agreed: Parameters<Solver['prepare']>): void {
    this.rows.prepare(...agreed);
  }

  solve(request: SolveRequest): void {
    this.request = request;
    this.rows.solver.solve(request);
  }

  cancel(): void {
    this.rows.solver.cancel();
  }

  interrupt(): void {
    this.rows.solver.interrupt();
  }

  count({ passes, computeMs }: SolveResult): void {
    this.passes += passes;
    this.solveMs = computeMs;
  }

  /** What is reported goes with the answer: measured here, where the test rows are. Not of a solve that a newer round has overtaken. */
  withTests(result: SolveResult): SolveResult {
    const { request, rows } = this;
    const tests = request?.round === result.round ? rows.report(request, result) : undefined;
    return tests ? { ...result, tests } : result;
  }
}
