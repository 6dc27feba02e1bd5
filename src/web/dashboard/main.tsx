/** Entry of the page index.html: the dashboard. */
import { render } from 'preact';
import '../shared/base.css';
import './dashboard.css';
import { App } from './shell/app.tsx';

render(<App />, document.getElementById('app')!);
