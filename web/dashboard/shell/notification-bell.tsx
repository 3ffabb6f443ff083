import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../base/language.ts';
import {
  desktop,
  followNotifications,
  labelOf,
  markRead,
  type Notified,
  nameOf,
  notifications,
  placeOf,
  readDesktop,
  turnDesktop,
  unreadCount,
} from '../base/notifications.ts';
import { route } from '../base/router.ts';
import { libraries, session } from '../base/session.ts';
import { moment } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/parts.tsx';

const isOpen = signal(false);
/** Notifications that were unread when the list was opened. They stay marked until it is closed. */
const marked = signal(0);

/** A button with the number of unread notifications. It opens their list. */
export function NotificationBell() {
  useEffect(followNotifications, []);
  const unread = unreadCount.value;
  const open = () => {
    marked.value = unread;
    isOpen.value = true;
    markRead();
    void readDesktop();
  };
  return (
    <button
      type="button"
      class="quiet icon-button bell"
      aria-label={unread === 0 ? t('Notifications') : t('Notifications, {0} unread', unread)}
      onClick={open}
    >
      <Icon name="bell" />
      {unread > 0 && <span class="unread">{unread}</span>}
    </button>
  );
}

/** The list of notifications, if it is open. */
export function NotificationList() {
  // A chosen notification opens another screen.
  useEffect(() => {
    isOpen.value = false;
  }, [route.value]);
  if (!isOpen.value) return null;
  const close = () => {
    markRead();
    isOpen.value = false;
  };
  return (
    <Dialog title={t('Notifications')} onClose={close}>
      <List />
      <Desktop />
      {session.value?.person != null && (
        <div class="row">
          <Link class="button quiet" to={{ name: 'account' }}>
            {t('Choose events')}
          </Link>
        </div>
      )}
    </Dialog>
  );
}

function List() {
  if (notifications.value.length === 0) return <p class="hint">{t('No notifications in the last 30 days.')}</p>;
  return (
    <ul class="notifications">
      {notifications.value.map((each, index) => (
        <Row key={each.position} notified={each} isUnread={index < marked.value} />
      ))}
    </ul>
  );
}

const TONES = { ready: 'good', failed: 'bad', live: 'busy', quota: 'bad' } as const;

function Row({ notified, isUnread }: { notified: Notified; isUnread: boolean }) {
  const { event, libraryId, createdAt } = notified;
  const library = libraries.value.find(({ id }) => id === libraryId)?.name;
  const place = libraries.value.length > 1 && event !== 'quota' && library !== undefined ? ` · ${library}` : '';
  return (
    <li>
      <Link class={isUnread ? 'notified is-unread' : 'notified'} to={placeOf(notified)}>
        <span class={`chip ${TONES[event]}`}>{labelOf(event)}</span>
        <bdi class="name">{nameOf(notified)}</bdi>
        <span class="hint">
          {moment(createdAt)}
          {place}
        </span>
      </Link>
    </li>
  );
}

function Desktop() {
  const state = desktop.value;
  if (state === 'insecure') return <p class="hint">{t('Desktop notifications need HTTPS.')}</p>;
  if (state === 'blocked') {
    return <p class="hint">{t('The browser blocks notifications of this page. Allow them in its settings.')}</p>;
  }
  return (
    <div class="stack tight">
      <div class="row">
        <button type="button" onClick={() => void turnDesktop(state === 'off')}>
          {state === 'off' ? t('Show desktop notifications') : t('Stop desktop notifications')}
        </button>
      </div>
      <p class="hint">{t('They appear while a tab with the dashboard is open.')}</p>
    </div>
  );
}
