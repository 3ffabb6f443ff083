import { signal } from '@preact/signals';

/** Screens of a library that need no other parameter. */
export const LIBRARY_SCREENS = [
  'videos',
  'collections',
  'imports',
  'trash',
  'live',
  'statistics',
  'events',
  'settings',
] as const;
type LibraryScreen = (typeof LIBRARY_SCREENS)[number];

/** Screens of the whole service. */
const PLAIN_SCREENS = ['welcome', 'join', 'libraries', 'people', 'account', 'system', 'reference'] as const;
type PlainScreen = (typeof PLAIN_SCREENS)[number];

/**
 * A screen of the dashboard. Each has a URL that can be bookmarked and shared. `part` is one of its tabs or sections.
 */
export type Route =
  | { name: PlainScreen | 'home' | 'missing' }
  | { name: LibraryScreen; libraryId: number; part?: string }
  | { name: 'video'; libraryId: number; videoId: string; part?: string };

/** Screens of a library that have parts with URLs of their own. */
const WITH_PARTS: ReadonlySet<LibraryScreen> = new Set(['imports', 'live', 'settings']);

const LIBRARY_PATH = /^\/dashboard\/library\/(\d{1,15})\/([a-z]+)(?:\/([0-9a-z-]{1,64}))?(?:\/([a-z-]{1,32}))?\/?$/;
const VIDEO_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Path prefix under which a proxy shows the service. Every URL of the service begins with it. */
export const prefix = document.querySelector<HTMLMetaElement>('meta[name=millrace-prefix]')?.content ?? '';

export const route = signal<Route>(readRoute(ownPath()));
/** The query of the URL: filters, orders, pages. */
export const query = signal(new URLSearchParams(location.search));

export function readRoute(pathname: string): Route {
  const [, text] = /^\/dashboard\/([a-z]+)\/?$/.exec(pathname) ?? [];
  const plain = PLAIN_SCREENS.find((known) => known === text);
  if (plain !== undefined) return { name: plain };
  const [, library = '', screen, id, tab] = LIBRARY_PATH.exec(pathname) ?? [];
  const libraryId = Number(library);
  if (screen === 'videos' && id !== undefined && VIDEO_ID.test(id)) {
    return { name: 'video', libraryId, videoId: id, ...(tab !== undefined && { part: tab }) };
  }
  const name = LIBRARY_SCREENS.find((known) => known === screen);
  if (name === undefined) return { name: /^\/(dashboard\/?)?$/.test(pathname) ? 'home' : 'missing' };
  if (tab !== undefined || (id !== undefined && !WITH_PARTS.has(name))) return { name: 'missing' };
  return { name, libraryId, ...(id !== undefined && { part: id }) };
}

export function addressOf(to: Route): string {
  if (to.name === 'home') return `${prefix}/`;
  if (!('libraryId' in to)) return `${prefix}/dashboard/${to.name}`;
  const library = `${prefix}/dashboard/library/${to.libraryId}`;
  const path = to.name === 'video' ? `${library}/videos/${to.videoId}` : `${library}/${to.name}`;
  return to.part === undefined ? path : `${path}/${to.part}`;
}

/** Returns true if the screen may be left now. Otherwise returns false, and calls `leave` once the user agrees. */
type Guard = (leave: () => void) => boolean;
let mayLeave: Guard = () => true;

/** Sets the function that decides whether a screen may be left. */
export function guardLeaving(guard: Guard): void {
  mayLeave = guard;
}

/** Opens a screen and scrolls to the top, unless `keepsScroll`. `search` is the query of its URL. */
export function go(to: Route, search = '', keepsScroll = false): void {
  if (addressOf(to) === addressOf(route.value) || mayLeave(() => move(to, search, keepsScroll)))
    move(to, search, keepsScroll);
}

function move(to: Route, search: string, keepsScroll: boolean): void {
  history.pushState(null, '', addressOf(to) + search);
  query.value = new URLSearchParams(search);
  route.value = to;
  if (!keepsScroll) scrollTo(0, 0);
}

/** Changes the URL to another part of the shown page, without leaving it. */
export function replacePath(to: Route): void {
  history.replaceState(null, '', addressOf(to));
  query.value = new URLSearchParams();
  route.value = to;
}

/** Changes parameters in the query of the URL. An empty text removes a parameter. */
export function changeQuery(changes: Readonly<Record<string, string>>): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  replaceQuery(next);
}

/** Replaces the query of the URL. */
export function replaceQuery(next: URLSearchParams): void {
  const text = next.toString();
  history.replaceState(null, '', text === '' ? location.pathname : `${location.pathname}?${text}`);
  query.value = next;
}

/** Returns the path of the shown page, without the prefix. */
export function ownPath(): string {
  return location.pathname.startsWith(prefix) ? location.pathname.slice(prefix.length) : location.pathname;
}

/** True if the user has decided to leave, so that the next history navigation is not blocked. */
let isDecided = false;

addEventListener('popstate', () => {
  const to = readRoute(ownPath());
  const { search } = query.value.size > 0 ? { search: `?${query.value}` } : { search: '' };
  const back = () => {
    isDecided = true;
    history.back();
  };
  const isOther = addressOf(to) !== addressOf(route.value);
  if (isOther && !isDecided && !mayLeave(back)) {
    // The browser has already navigated. Pushes an entry for the open screen, so that the URL matches it again.
    history.pushState(null, '', addressOf(route.value) + search);
    return;
  }
  isDecided = false;
  query.value = new URLSearchParams(location.search);
  route.value = to;
});
