/** Entry of the page index.html. */
import { render } from 'preact';
import '../shared/base.css';

render(<main>Kindred</main>, document.getElementById('app')!);
