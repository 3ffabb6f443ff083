import { t, tr } from '../base/language.ts';
import type { Route } from '../base/router.ts';

const TITLES: Readonly<Record<Route['name'], string>> = {
  ...{ home: '', welcome: '', join: '', missing: 'This page does not exist' },
  ...{ videos: 'Videos', video: 'Videos', collections: 'Collections', imports: 'Imports', trash: 'Trash' },
  ...{ live: 'Live', statistics: 'Statistics', events: 'Event log', settings: 'Settings' },
  ...{
    libraries: 'Libraries',
    people: 'People',
    account: 'Your account',
    system: 'System',
    reference: 'API reference',
  },
};

/** Returns the title of the browser's tab: the screen, and the library that it belongs to. */
export function pageTitle({ name }: Route, libraryName: string | null): string {
  return [tr(TITLES[name]), libraryName, t('Millrace')].filter(Boolean).join(' – ');
}
