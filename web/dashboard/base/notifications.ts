import { computed, signal } from '@preact/signals';
import type { NotificationModel } from '../../../src/api/dashboard/add-notifications.ts';
import type { NotificationEvent } from '../../../src/catalog/notifications/notification.ts';
import { ApiError, api } from './api.ts';
import { keepText, readKeptText } from './kept-text.ts';
import { type Sentence, t } from './language.ts';
import { go, type Route } from './router.ts';
import { libraries } from './session.ts';

export type Notified = NotificationModel;

export const EVENT_LABELS: readonly (readonly [event: NotificationEvent, label: Sentence])[] = [
  ['ready', 'Video ready'],
  ['failed', 'Video failed'],
  ['live', 'Live stream started'],
  ['quota', 'Quota reached'],
];

const POLL_MS = 30_000;
const MAX_KEPT = 50;
/** Positions are assigned before a change is committed, so slightly older ones may appear later. */
const OVERLAP = 100;
/** Number of new notifications that are shown one by one on the desktop. More are shown as one. */
const MAX_SHOWN = 3;

const READ = 'millrace-notifications-read';
const SHOWN = 'millrace-notifications-shown';
const ON_DESKTOP = 'millrace-notifications-desktop';

/** The newest notifications of the session, newest first. */
export const notifications = signal<readonly Notified[]>([]);
const lastRead = signal<number | null>(null);
export const unreadCount = computed(() => {
  const read = lastRead.value;
  return read === null ? 0 : notifications.value.filter(({ position }) => position > read).length;
});

/** State of notifications on the desktop. `insecure`: browsers allow them only on HTTPS pages. */
export type DesktopState = 'on' | 'off' | 'blocked' | 'insecure';
export const desktop = signal<DesktopState>('off');

/** Reads the permission again, which people change in the browser. */
export async function readDesktop(): Promise<void> {
  if (!isSecureContext || typeof Notification === 'undefined') {
    desktop.value = 'insecure';
    return;
  }
  const { state } = await navigator.permissions.query({ name: 'notifications' });
  if (state === 'denied') desktop.value = 'blocked';
  else desktop.value = state === 'granted' && readKeptText(ON_DESKTOP) === '1' ? 'on' : 'off';
}

/** Turns notifications on the desktop on or off. The browser asks for permission, so call it only after a click. */
export async function turnDesktop(isOn: boolean): Promise<void> {
  if (isOn) await Notification.requestPermission();
  keepText(ON_DESKTOP, isOn ? '1' : '0');
  await readDesktop();
}

/** Marks all notifications as read, in all tabs of this browser. */
export function markRead(): void {
  const newest = notifications.value[0]?.position ?? 0;
  lastRead.value = Math.max(lastRead.value ?? 0, newest);
  keepText(READ, String(lastRead.value));
}

/** Reads new notifications regularly until stopped. A hidden page reads them only to show them on the desktop. */
export function followNotifications(): () => void {
  const stopped = new AbortController();
  notifications.value = [];
  const look = () => {
    if (document.hidden && desktop.value !== 'on') return;
    // A failed read is repeated. A session that ended is noticed by other requests, too.
    readNew(stopped.signal).catch((reason: unknown) => {
      if (reason instanceof ApiError && reason.status === 401) stopped.abort();
    });
  };
  const timer = setInterval(look, POLL_MS);
  document.addEventListener('visibilitychange', look, { signal: stopped.signal });
  addEventListener('storage', readMark, { signal: stopped.signal });
  stopped.signal.addEventListener('abort', () => clearInterval(timer));
  void readDesktop();
  look();
  return () => stopped.abort();
}

async function readNew(signal: AbortSignal): Promise<void> {
  const known = notifications.value;
  const newest = known[0]?.position ?? null;
  const after = newest === null ? 0 : Math.max(0, newest - OVERLAP);
  const path = `/dashboard/notifications?after=${after}`;
  const { items } = await api<{ items: Notified[] }>('GET', path, undefined, signal);
  if (signal.aborted) return;
  readMark();
  const added = items.filter(({ position }) => known.every((each) => each.position !== position));
  if (added.length > 0) {
    const all = [...added, ...known].toSorted((a, b) => b.position - a.position);
    notifications.value = all.slice(0, MAX_KEPT);
  }
  // A browser that opens the dashboard for the first time has missed nothing.
  if (lastRead.value === null) markRead();
  showOnDesktop(added);
}

function readMark(): void {
  const kept = readKeptText(READ);
  if (kept !== null) lastRead.value = Math.max(lastRead.value ?? 0, Number(kept) || 0);
}

/** Shows unread notifications that no tab has shown yet. */
function showOnDesktop(added: readonly Notified[]): void {
  const mark = Math.max(Number(readKeptText(SHOWN)) || 0, lastRead.value ?? 0);
  const fresh = added.filter(({ position }) => position > mark);
  const newest = Math.max(0, ...fresh.map(({ position }) => position));
  if (newest === 0 || desktop.value !== 'on') return;
  keepText(SHOWN, String(newest));
  if (fresh.length > MAX_SHOWN) {
    show(t('{0} new notifications', fresh.length), '', { name: 'home' }, newest);
    return;
  }
  for (const each of fresh) show(labelOf(each.event), nameOf(each), placeOf(each), each.position);
}

function show(title: string, body: string, to: Route, position: number): void {
  const shown = new Notification(title, { body, tag: `millrace-${position}` });
  shown.addEventListener('click', () => {
    window.focus();
    if (to.name !== 'home') go(to);
    shown.close();
  });
}

export function labelOf(event: NotificationEvent): string {
  return t(EVENT_LABELS.find(([known]) => known === event)?.[1] ?? 'Video ready');
}

/** Returns the title of the video or stream, or the name of the library. */
export function nameOf({ title, libraryId }: Notified): string {
  return title ?? libraries.value.find(({ id }) => id === libraryId)?.name ?? t('Library {0}', libraryId);
}

/** Returns the screen that shows the object of a notification. */
export function placeOf({ event, libraryId, mediaId }: Notified): Route {
  if (event === 'quota') return { name: 'settings', libraryId, part: 'quotas' };
  if (event === 'live') return { name: 'live', libraryId, part: mediaId };
  return { name: 'video', libraryId, videoId: mediaId };
}
