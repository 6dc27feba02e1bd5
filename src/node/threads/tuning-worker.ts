/** A thread that does chains of a tuning, one after another, as they are asked for. */
import { workerData } from 'node:worker_threads';
import { type Chain, ChainSolver, type TuneWork } from '../../methods/tune/chain.ts';
import { takeRequests } from './threads.ts';

const solver = new ChainSolver(workerData as TuneWork);

takeRequests<Chain, 'solved', Float64Array[]>((chain, onProgress) =>
  solver.decide(chain, () => onProgress('solved')),
);
