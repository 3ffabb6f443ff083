import { signal } from '@preact/signals';

/** A place of the dashboard; each has an address that can be kept and sent. */
export type Route =
  | { name: 'home' }
  | { name: 'videos'; libraryId: number }
  | { name: 'video'; libraryId: number; videoId: string }
  | { name: 'live'; libraryId: number }
  | { name: 'statistics'; libraryId: number }
  | { name: 'settings'; libraryId: number };

const PLACE = /^\/dashboard\/library\/(\d{1,15})\/(videos|live|statistics|settings)(?:\/([0-9a-f-]{36}))?\/?$/;

export const route = signal<Route>(readRoute(location.pathname));

export function readRoute(pathname: string): Route {
  const [, library = '', place, videoId] = PLACE.exec(pathname) ?? [];
  const libraryId = Number(library);
  switch (place) {
    case 'videos':
      return videoId === undefined ? { name: 'videos', libraryId } : { name: 'video', libraryId, videoId };
    case 'live':
    case 'statistics':
    case 'settings':
      return { name: place, libraryId };
    default:
      return { name: 'home' };
  }
}

export function addressOf(to: Route): string {
  if (to.name === 'home') return '/';
  const library = `/dashboard/library/${to.libraryId}`;
  return to.name === 'video' ? `${library}/videos/${to.videoId}` : `${library}/${to.name}`;
}

export function go(to: Route): void {
  history.pushState(null, '', addressOf(to));
  route.value = to;
  scrollTo(0, 0);
}

addEventListener('popstate', () => {
  route.value = readRoute(location.pathname);
});
