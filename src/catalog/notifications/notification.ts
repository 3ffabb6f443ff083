import type { Guid } from '../../lib/guid.ts';
import { isPermitted, type Permission } from '../people/permissions.ts';
import type { Roles } from '../people/person.ts';

/** Events about which people and chats are notified. */
export const NOTIFICATION_EVENTS = ['ready', 'failed', 'live', 'quota'] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** Languages of e-mails and chat messages: those of the dashboard. */
export const NOTIFICATION_LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'ja'] as const;
export type NotificationLanguage = (typeof NOTIFICATION_LANGUAGES)[number];

/** Events by channel that a person chose. */
export type NotificationChoices = { browser: NotificationEvent[]; email: NotificationEvent[] };

/** E-mail is only for those who ask for it. The list in the dashboard disturbs nobody. */
export const DEFAULT_CHOICES: NotificationChoices = { browser: [...NOTIFICATION_EVENTS], email: [] };

/** An event to be named in a message. `mediaId` is the video or stream, `resource` the one of a quota, else null. */
export type NotificationItem = {
  libraryId: number;
  mediaId: Guid;
  event: NotificationEvent;
  resource: string | null;
};

/** The permission that a person needs in a library to be notified of an event in it. */
export const NOTIFICATION_PERMISSIONS: Readonly<Record<NotificationEvent, Permission>> = {
  ready: 'videos.read',
  failed: 'videos.read',
  live: 'videos.read',
  quota: 'library.manage',
};

/** Returns whether roles permit notifications about an event in a library. */
export function mayBeNotified(roles: Roles, { event, libraryId }: Pick<NotificationItem, 'event' | 'libraryId'>) {
  return isPermitted(roles, NOTIFICATION_PERMISSIONS[event], libraryId);
}

/** Number of events of one kind in a library that a message is about. */
export type EventCount = { libraryId: number; event: NotificationEvent; count: number };

/** Content of a message: the numbers of all events, and the first few by name. */
export type Summary = { counts: EventCount[]; items: NotificationItem[] };

/** Maximum number of events that a message names. The others are only counted. */
const MAX_ITEMS = 10;

/** Returns a summary with further events. */
export function addToSummary({ counts, items }: Summary, added: readonly NotificationItem[]): Summary {
  const sums = counts.map((each) => ({ ...each }));
  for (const { libraryId, event } of added) {
    const sum = sums.find((each) => each.libraryId === libraryId && each.event === event);
    if (sum === undefined) sums.push({ libraryId, event, count: 1 });
    else sum.count += 1;
  }
  return { counts: sums, items: [...items, ...added].slice(0, MAX_ITEMS) };
}

/** Returns the part of a summary that fulfils a condition. */
export function filterSummary(
  { counts, items }: Summary,
  isKept: (event: Pick<NotificationItem, 'event' | 'libraryId'>) => boolean,
): Summary {
  return { counts: counts.filter(isKept), items: items.filter(isKept) };
}
