import { answerCalls } from '../shared/worker-calls.ts';
import { rowsWork } from './rows-work.ts';

answerCalls(rowsWork(), self);
