/** Entry of the page join.html. */
import { render } from 'preact';
import '../shared/base.css';
import './setup.css';
import './run.css';
import { WorkerCalls } from '../shared/worker-calls.ts';
import { App } from './app.tsx';
import { JoinPage } from './join-page.ts';
import { federationIn, takeLink } from './link.ts';
import type { RowsWork } from './rows-work.ts';

const federation = federationIn(location.pathname);
const link = federation === undefined ? {} : takeLink(federation);
const rows = new WorkerCalls<RowsWork>(
  () => new Worker(new URL('./rows.worker.ts', import.meta.url), { type: 'module', name: 'rows' }),
);
const page = new JoinPage({ rows: rows.calls, federation, link });

render(<App page={page} />, document.getElementById('app')!);
