import { answerCalls } from '../shared/worker-calls.ts';
import { personaliseWork } from './personalise-work.ts';

answerCalls(personaliseWork(), self);
