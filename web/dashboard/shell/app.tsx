import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { type Route, route } from '../base/router.ts';
import { libraries, may, mayUpload, restoreSession, session } from '../base/session.ts';
import { useShortcuts } from '../base/shortcuts.ts';
import { Empty, Link, Notice } from '../parts/parts.tsx';
import { LeaveDialog, SaveBar } from '../parts/save-bar.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { UploadTray } from '../uploads/upload-tray.tsx';
import { DropZone } from './drop-zone.tsx';
import { Join } from './join.tsx';
import { NotificationList } from './notification-bell.tsx';
import { pageTitle } from './page-title.ts';
import { openPalette, Palette } from './palette.tsx';
import { Screen } from './screen.tsx';
import { ShortcutHelp, showHelp } from './shortcut-help.tsx';
import { ShowCall } from './show-call.tsx';
import { SideBar } from './side-bar.tsx';
import { SignIn, SignInAgain } from './sign-in.tsx';
import { Welcome } from './welcome.tsx';

export function App() {
  const error = useSignal<string | null>(null);
  useEffect(() => {
    restoreSession().catch((reason: unknown) => {
      error.value = describeError(reason);
    });
  }, [error]);
  if (route.value.name === 'welcome') return <Welcome />;
  if (route.value.name === 'join') return <Join />;
  if (error.value !== null) return <Notice kind="error">{error.value}</Notice>;
  if (session.value === undefined) return null;
  return session.value === null ? <SignIn /> : <Signed />;
}

function Signed() {
  const here = ownRoute();
  const libraryId = 'libraryId' in here ? here.libraryId : (libraries.value[0]?.id ?? null);
  const library = 'libraryId' in here ? libraries.value.find(({ id }) => id === here.libraryId) : undefined;
  const title = pageTitle(here, library?.name ?? null);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useShortcuts({
    'ctrl+k': openPalette,
    '?': showHelp,
    '/': () => document.querySelector<HTMLInputElement>('input[type=search], .settings-search input')?.focus(),
  });
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {t('Skip to content')}
      </a>
      <SideBar libraryId={libraryId} />
      <main id="content" tabIndex={-1}>
        {here.name === 'home' ? <NoLibrary /> : <Screen to={here} />}
      </main>
      <SaveBar />
      <LeaveDialog />
      <UploadTray />
      <Toasts />
      <Palette libraryId={libraryId} />
      <ShortcutHelp />
      <NotificationList />
      <ShowCall />
      <SignInAgain />
      {libraryId !== null && mayUpload() && <DropZone libraryId={libraryId} />}
    </div>
  );
}

function NoLibrary() {
  if (!may('account.manage'))
    return <Empty title={t('No library yet')}>{t('You have no role in any library. Ask an administrator.')}</Empty>;
  return (
    <Empty title={t('No library yet')}>
      <Link class="button" to={{ name: 'libraries' }}>
        {t('Create library')}
      </Link>
    </Empty>
  );
}

/** The default is the video list of the first library. */
function ownRoute(): Route {
  const first = libraries.value[0];
  if (route.value.name !== 'home' || first === undefined) return route.value;
  return { name: 'videos', libraryId: first.id };
}
