/** Entry of the page join.html. */
import { render } from 'preact';
import '../shared/base.css';

render(<main>Kindred</main>, document.getElementById('app')!);
