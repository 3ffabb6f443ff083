import { render } from 'preact';
import { App } from './shell/app.tsx';

const place = document.getElementById('app');
if (place === null) throw new Error('Expected the page to have a place for the dashboard.');
render(<App />, place);
