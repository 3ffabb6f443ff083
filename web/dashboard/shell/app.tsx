import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { describeError } from '../base/api.ts';
import { go, type Route, route } from '../base/router.ts';
import { libraries, mayWrite, restoreSession, session, signOut } from '../base/session.ts';
import { Settings } from '../library/settings.tsx';
import { Live } from '../live/live.tsx';
import { Empty, Link, Notice } from '../parts/parts.tsx';
import { LibraryStatistics } from '../statistics/statistics.tsx';
import { UploadTray } from '../uploads/upload-tray.tsx';
import { addFiles } from '../uploads/uploads.ts';
import { VideoPage } from '../video/video-page.tsx';
import { Videos } from '../videos/videos.tsx';
import { Mark, SignIn } from './sign-in.tsx';
import { Welcome } from './welcome.tsx';

export function App() {
  const error = useSignal<string | null>(null);
  useEffect(() => {
    restoreSession().catch((reason: unknown) => {
      error.value = describeError(reason);
    });
  }, [error]);
  if (route.value.name === 'welcome') return <Welcome />;
  if (error.value !== null) return <Notice kind="error">{error.value}</Notice>;
  if (session.value === undefined) return null;
  return session.value === null ? <SignIn /> : <Signed />;
}

function Signed() {
  const first = libraries.value[0];
  const here = route.value.name === 'home' && first !== undefined ? toVideos(first.id) : route.value;
  const libraryId = 'libraryId' in here ? here.libraryId : null;
  return (
    <div class="shell">
      <TopBar libraryId={libraryId} />
      <main>
        {!('libraryId' in here) ? (
          <Empty title="No library yet">
            <p>Make one with the operation POST /videolibrary.</p>
          </Empty>
        ) : (
          <Screen to={here} key={`${here.name}/${here.libraryId}`} />
        )}
      </main>
      <UploadTray />
      {libraryId !== null && mayWrite() && <DropZone libraryId={libraryId} />}
    </div>
  );
}

function toVideos(libraryId: number): Route {
  return { name: 'videos', libraryId };
}

function Screen({ to }: { to: Extract<Route, { libraryId: number }> }) {
  switch (to.name) {
    case 'videos':
      return <Videos libraryId={to.libraryId} />;
    case 'video':
      return <VideoPage key={to.videoId} libraryId={to.libraryId} videoId={to.videoId} />;
    case 'live':
      return <Live libraryId={to.libraryId} />;
    case 'settings':
      return <Settings libraryId={to.libraryId} />;
    case 'statistics':
      return <LibraryStatistics libraryId={to.libraryId} />;
    default:
      return null;
  }
}

function TopBar({ libraryId }: { libraryId: number | null }) {
  return (
    <header class="top">
      <Link to={{ name: 'home' }} class="brand">
        <Mark /> <span>Millrace</span>
      </Link>
      {libraryId !== null && <LibraryPicker libraryId={libraryId} />}
      {libraryId !== null && (
        <nav aria-label="Library">
          <Link to={toVideos(libraryId)}>Videos</Link>
          <Link to={{ name: 'live', libraryId }}>Live</Link>
          <Link to={{ name: 'statistics', libraryId }}>Statistics</Link>
          {session.value?.role === 'owner' && <Link to={{ name: 'settings', libraryId }}>Settings</Link>}
        </nav>
      )}
      <button type="button" class="quiet out" onClick={() => signOut()}>
        Sign out
      </button>
    </header>
  );
}

function LibraryPicker({ libraryId }: { libraryId: number }) {
  if (libraries.value.length < 2) return null;
  return (
    <select
      aria-label="Library"
      value={libraryId}
      onChange={(event) => go(toVideos(Number(event.currentTarget.value)))}
    >
      {libraries.value.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Takes files that are dropped anywhere on the page. */
function DropZone({ libraryId }: { libraryId: number }) {
  const isOver = useSignal(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      isOver.value = false;
      addFiles(libraryId, event.dataTransfer?.files ?? []);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [libraryId, isOver]);
  return isOver.value ? <div class="drop">Drop to upload</div> : null;
}
