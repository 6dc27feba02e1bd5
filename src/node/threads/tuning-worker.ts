/** A thread that does parts of a tuning, one after another, as they are asked for. */
import { workerData } from 'node:worker_threads';
import { decideFold, type TunePart, type TuneWork } from '../../methods/tune-fold.ts';
import { takeRequests } from './threads.ts';

takeRequests<TunePart, 'solved', Float64Array[]>((part, onProgress) =>
  decideFold(workerData as TuneWork, part, () => onProgress('solved')),
);
