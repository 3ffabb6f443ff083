import type { JSX } from 'preact';
import type { Permission } from '../../../src/catalog/people/permissions.ts';
import { lazy } from '../base/lazy.tsx';
import type { Route } from '../base/router.ts';
import { may } from '../base/session.ts';
import { NoPermission } from '../parts/no-permission.tsx';
import { Videos } from '../videos/videos.tsx';
import { IgnoredParameters } from './ignored-parameters.tsx';
import { Missing } from './missing.tsx';

// The first screen is loaded immediately. Every other one is a separate file.
const Collections = lazy(async () => (await import('../collections/collections.tsx')).Collections);
const Events = lazy(async () => (await import('../events/events.tsx')).Events);
const Imports = lazy(async () => (await import('../imports/imports.tsx')).Imports);
const Libraries = lazy(async () => (await import('../libraries/libraries.tsx')).Libraries);
const LibraryStatistics = lazy(async () => (await import('../statistics/library-statistics.tsx')).LibraryStatistics);
const Live = lazy(async () => (await import('../live/live.tsx')).Live);
const StreamPage = lazy(async () => (await import('../live/stream-page.tsx')).StreamPage);
const OwnAccount = lazy(async () => (await import('../people/own-account.tsx')).OwnAccount);
const People = lazy(async () => (await import('../people/people.tsx')).People);
const Reference = lazy(async () => (await import('../reference/reference.tsx')).Reference);
const Settings = lazy(async () => (await import('../library/settings.tsx')).Settings);
const System = lazy(async () => (await import('../system/system.tsx')).System);
const Trash = lazy(async () => (await import('../videos/trash.tsx')).Trash);
const VideoPage = lazy(async () => (await import('../video/video-page.tsx')).VideoPage);

/** Permissions that screens need. All others show what the session may see. */
const NEEDED: Readonly<Partial<Record<Route['name'], Permission>>> = {
  events: 'account.manage',
  imports: 'account.manage',
  settings: 'library.manage',
  statistics: 'statistics.read',
  trash: 'videos.edit',
  libraries: 'account.manage',
  people: 'people.manage',
  system: 'account.manage',
};

/** The screen of a route, below a notice about parameters of the URL that it ignores. */
export function Screen({ to }: { to: Route }): JSX.Element {
  const needed = NEEDED[to.name];
  if (needed !== undefined && !may(needed, 'libraryId' in to ? to.libraryId : null)) return <NoPermission />;
  return (
    <>
      <IgnoredParameters name={to.name} />
      <Body to={to} />
    </>
  );
}

/** Returns the screen of a route. `home`, `welcome` and `join` have none. */
function Body({ to }: { to: Route }): JSX.Element | null {
  switch (to.name) {
    case 'home':
    case 'welcome':
    case 'join':
      return null;
    case 'videos':
      return <Videos key={to.libraryId} libraryId={to.libraryId} />;
    case 'video':
      return <VideoPage key={to.videoId} libraryId={to.libraryId} videoId={to.videoId} part={to.part ?? 'overview'} />;
    case 'collections':
      return <Collections key={to.libraryId} libraryId={to.libraryId} />;
    case 'imports':
      return <Imports key={to.libraryId} libraryId={to.libraryId} part={to.part} />;
    case 'trash':
      return <Trash key={to.libraryId} libraryId={to.libraryId} />;
    case 'live':
      return to.part === undefined ? (
        <Live key={to.libraryId} libraryId={to.libraryId} />
      ) : (
        <StreamPage key={to.part} libraryId={to.libraryId} streamId={to.part} />
      );
    case 'statistics':
      return <LibraryStatistics key={to.libraryId} libraryId={to.libraryId} />;
    case 'events':
      return <Events key={to.libraryId} libraryId={to.libraryId} />;
    case 'settings':
      return <Settings key={to.libraryId} libraryId={to.libraryId} part={to.part ?? 'general'} />;
    case 'libraries':
      return <Libraries />;
    case 'people':
      return <People />;
    case 'account':
      return <OwnAccount />;
    case 'system':
      return <System />;
    case 'missing':
      return <Missing />;
    case 'reference':
      return <Reference />;
  }
}
