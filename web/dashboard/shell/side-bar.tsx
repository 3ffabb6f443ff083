import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { leaveThen } from '../base/drafts.ts';
import { chooseLanguage, LANGUAGES, type LanguageCode, language, t } from '../base/language.ts';
import { addressOf, go, prefix, type Route, route } from '../base/router.ts';
import { libraries, may, session, signOut } from '../base/session.ts';
import { chooseTheme, chosenTheme, type Theme } from '../base/theme.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Link } from '../parts/parts.tsx';
import { NotificationBell } from './notification-bell.tsx';
import { openPalette } from './palette.tsx';
import { openCalls } from './show-call.tsx';
import { Mark } from './sign-in.tsx';

export function SideBar({ libraryId }: { libraryId: number | null }) {
  // Narrow screens have no space for the bar next to the content, so it opens on demand and closes after navigation.
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen.peek()) return;
    isOpen.value = false;
    // The focused element is now hidden, so focus moves to the content.
    document.getElementById('content')?.focus();
  }, [isOpen, route.value]);
  useEffect(() => {
    if (!isOpen.value) return;
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      isOpen.value = false;
      button.current?.focus();
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [isOpen.value]);
  return (
    <header class="side">
      <div class="side-head">
        <Link to={{ name: 'home' }} class="brand">
          <Mark /> <span>{t('Millrace')}</span>
        </Link>
        <NotificationBell />
      </div>
      <button type="button" class="find" aria-label={t('Search Ctrl K')} onClick={openPalette}>
        <Icon name="search" /> <span>{t('Search')}</span> <kbd>{t('Ctrl K')}</kbd>
      </button>
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-expanded={isOpen.value}
        aria-controls="menu"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="list" /> {t('Menu')}
      </button>
      <Menu libraryId={libraryId} isOpen={isOpen.value} />
    </header>
  );
}

function Menu({ libraryId, isOpen }: { libraryId: number | null; isOpen: boolean }) {
  const isOwner = may('account.manage');
  return (
    <div id="menu" class={isOpen ? 'menu open' : 'menu'}>
      {libraryId !== null && <LibraryPicker libraryId={libraryId} />}
      {libraryId !== null && (
        <nav aria-label={t('Library')}>
          <Item
            to={{ name: 'videos', libraryId }}
            icon="videos"
            label={t('Videos')}
            isHere={isScreen('videos', 'video')}
          />
          <Item to={{ name: 'collections', libraryId }} icon="collections" label={t('Collections')} />
          <Item to={{ name: 'live', libraryId }} icon="live" label={t('Live')} isHere={isScreen('live')} />
          {may('statistics.read', libraryId) && (
            <Item to={{ name: 'statistics', libraryId }} icon="statistics" label={t('Statistics')} />
          )}
          {isOwner && <Item to={{ name: 'events', libraryId }} icon="events" label={t('Event log')} />}
          {may('library.manage', libraryId) && (
            <Item
              to={{ name: 'settings', libraryId }}
              icon="settings"
              label={t('Settings')}
              isHere={isScreen('settings')}
            />
          )}
          {isOwner && (
            <Item to={{ name: 'imports', libraryId }} icon="upload" label={t('Import')} isHere={isScreen('imports')} />
          )}
          {seesTrash(libraryId) && <Item to={{ name: 'trash', libraryId }} icon="trash" label={t('Trash')} />}
        </nav>
      )}
      <nav aria-label={t('Service')} class="service">
        {isOwner && <Item to={{ name: 'libraries' }} icon="collections" label={t('Libraries')} />}
        {may('people.manage') && <Item to={{ name: 'people' }} icon="people" label={t('People')} />}
        {isOwner && <Item to={{ name: 'system' }} icon="system" label={t('System')} />}
        <Item to={{ name: 'reference' }} icon="reference" label={t('API reference')} />
        <a href={`${prefix}/docs`}>
          <Icon name="docs" /> {t('Documentation')}
        </a>
      </nav>
      <div class="side-foot">
        <div class="row preferences">
          <select
            aria-label={t('Language')}
            value={language.value}
            onChange={({ currentTarget: { value } }) => chooseLanguage(value as LanguageCode)}
          >
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label={t('Theme')}
            value={chosenTheme()}
            onChange={({ currentTarget: { value } }) => chooseTheme(value as Theme)}
          >
            <option value="system">{t('System')}</option>
            <option value="light">{t('Light')}</option>
            <option value="dark">{t('Dark')}</option>
          </select>
        </div>
        {session.value?.person != null && (
          <Link class="button quiet" to={{ name: 'account' }} isHere={route.value.name === 'account'}>
            <Icon name="person" /> {t('Your account')}
          </Link>
        )}
        <button type="button" class="quiet" onClick={openCalls}>
          <Icon name="code" /> {t('Show API calls')}
        </button>
        <button type="button" class="quiet" onClick={() => leaveThen(() => void signOut())}>
          <Icon name="out" /> {t('Sign out')}
        </button>
      </div>
    </div>
  );
}

/** Read-only keys may list the trash, but people need the right to edit. */
function seesTrash(libraryId: number): boolean {
  return session.value?.person == null || may('videos.edit', libraryId);
}

function isScreen(...names: readonly Route['name'][]): boolean {
  return names.includes(route.value.name) || (route.value.name === 'home' && names.includes('videos'));
}

type ItemProps = { to: Route; icon: IconName; label: string; isHere?: boolean };

function Item({ to, icon, label, isHere = addressOf(to) === addressOf(route.value) }: ItemProps) {
  return (
    <Link to={to} isHere={isHere}>
      <Icon name={icon} /> {label}
    </Link>
  );
}

function LibraryPicker({ libraryId }: { libraryId: number }) {
  if (libraries.value.length < 2) return null;
  return (
    <select
      aria-label={t('Library')}
      value={libraryId}
      onChange={(event) => go({ name: 'videos', libraryId: Number(event.currentTarget.value) })}
    >
      {libraries.value.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
