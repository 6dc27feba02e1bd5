/** The script of the worker in which a page's participant runs: machine, timers, connection, storage and solver in one thread of their own. */
import { type Answer, type FromWorker, failureOf, type ToWorker } from './messages.ts';
import { TabSession } from './session.ts';

const post = (message: FromWorker) => self.postMessage(message);
let session: TabSession | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'join') {
    try {
      session ??= new TabSession(data.options, post);
    } catch (error) {
      post({ type: 'done', outcome: { failure: failureOf(error) } });
    }
    return;
  }
  const { id, call } = data;
  answer(call).then(
    (answer) => post({ type: 'answer', id, answer }),
    (error: unknown) => post({ type: 'answer', id, answer: { failure: failureOf(error) } }),
  );
};

async function answer(call: 'model' | 'leave' | 'close'): Promise<Answer> {
  if (call === 'model') return { model: await session?.model() };
  await session?.[call]();
  return {};
}
