import { answerCalls } from '../shared/worker-calls.ts';
import { motionWork } from './motion-work.ts';

answerCalls(motionWork(), self);
