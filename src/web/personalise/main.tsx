/** Entry of the page personalise.html. */
import { render } from 'preact';
import '../shared/base.css';
import '../join/setup.css';
import '../join/run.css';
import './personalise.css';
import { WorkerCalls } from '../shared/worker-calls.ts';
import { App } from './app.tsx';
import { Desk } from './desk.ts';
import type { PersonaliseWork } from './personalise-work.ts';

const worker = new WorkerCalls<PersonaliseWork>(
  () =>
    new Worker(new URL('./personalise.worker.ts', import.meta.url), { type: 'module', name: 'personalise' }),
);
// Loaded at once: from then on the page needs no network.
void worker.calls.ready();

render(<App desk={new Desk(worker.calls)} />, document.getElementById('app')!);
