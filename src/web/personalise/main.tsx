/** Entry of the page personalise.html. */
import { render } from 'preact';
import '../shared/base.css';

render(<main>Kindred</main>, document.getElementById('app')!);
