import { render } from 'preact';
import { restoreLanguage } from './base/language.ts';
import { App } from './shell/app.tsx';

const place = document.getElementById('app');
if (place === null) throw new Error('Expected the page to have a place for the dashboard.');
await restoreLanguage();
render(<App />, place);
