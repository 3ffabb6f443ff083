import { render } from 'preact';
import { restoreLanguage } from './base/language.ts';
import { applyTheme } from './base/theme.ts';
import { CopyByHand } from './parts/copy-by-hand.tsx';
import { App } from './shell/app.tsx';

const root = document.getElementById('app');
if (root === null) throw new Error('Expected an element for the dashboard on the page.');
applyTheme();
await restoreLanguage();
render(
  <>
    <App />
    <CopyByHand />
  </>,
  root,
);
