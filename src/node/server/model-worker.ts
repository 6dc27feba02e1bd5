/** The thread that answers requests about rows (model-work.ts). */
import { takeRequests } from '../threads/threads.ts';
import { answerTo, type ModelRequest } from './model-requests.ts';

takeRequests((request: ModelRequest) => answerTo(request));
