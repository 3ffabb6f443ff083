import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  NOTIFICATION_EVENTS,
  NOTIFICATION_PERMISSIONS,
  type NotificationEvent,
} from '../../catalog/notifications/notification.ts';
import { loadChoices, saveChoices } from '../../catalog/notifications/notification-choice-store.ts';
import {
  type ListedEvents,
  type ListedNotification,
  listNotifications,
} from '../../catalog/notifications/notification-store.ts';
import type { Caller } from '../../catalog/people/person.ts';
import { Refused } from '../../lib/refused.ts';
import { words } from '../models/fields.ts';
import { findCaller, noStore } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { permissionsOfCaller } from './describe-session.ts';
import { createOwnAccountGuard } from './own-account-guard.ts';
import { formReader } from './read-form.ts';
import { readSession } from './session-cookie.ts';

const CHOICES_PATH = '/dashboard/account/notifications';
const chosen = () =>
  Type.Array(words('NotificationEvent', NOTIFICATION_EVENTS), { maxItems: NOTIFICATION_EVENTS.length });
const readChoices = formReader(CHOICES_PATH, Type.Object({ browser: chosen(), email: chosen() }));

/** Choices of a person as sent to the dashboard. `sendsMail`: a mail server is configured. */
export type NotificationChoicesModel = { browser: NotificationEvent[]; email: NotificationEvent[]; sendsMail: boolean };

/** A notification as sent to the dashboard. */
export type NotificationModel = Omit<ListedNotification, 'createdAt'> & { createdAt: string };

/** Adds the list of notifications, and the choices of people. */
export function addNotifications(app: FastifyInstance, deps: DashboardDeps): void {
  const { db, sendsMail } = deps;
  const { write, requirePerson } = createOwnAccountGuard(deps);
  app.get('/dashboard/notifications', async (request, reply) => {
    const caller = await findCaller(readSession(request.raw), deps);
    if (caller === null) throw new Refused('unauthenticated', 'You are not signed in. Sign in first.');
    const after = new URLSearchParams(request.raw.url?.split('?')[1]).get('after') ?? '';
    const from = /^\d{1,15}$/.test(after) ? Number(after) : 0;
    const items = await listNotifications(db, await eventsOf(caller, deps), from);
    const onWire = items.map(({ createdAt, ...item }): NotificationModel => {
      return { ...item, createdAt: createdAt.toISOString() };
    });
    return noStore(reply).send({ items: onWire });
  });
  app.get(CHOICES_PATH, async (request, reply) => {
    const { id } = await requirePerson(request);
    const choices: NotificationChoicesModel = { ...(await loadChoices(db, id)), sendsMail };
    return noStore(reply).send(choices);
  });
  app.post(
    CHOICES_PATH,
    write('updateOwnNotifications', async ({ id }, { raw }, reply) => {
      const { browser, email } = await readChoices(raw);
      await saveChoices(db, id, { browser: inOrder(browser), email: inOrder(email) });
      return noStore(reply).code(204).send();
    }),
  );
}

/** Returns the events that a session lists, with the libraries in which it may. */
async function eventsOf(caller: Caller, deps: DashboardDeps): Promise<ListedEvents> {
  const { person } = caller;
  const events = person === undefined ? NOTIFICATION_EVENTS : (await loadChoices(deps.db, person.id)).browser;
  const listed = events.map((event) => [event, librariesOf(caller, event)] as const);
  return Object.fromEntries(listed.filter(([, libraries]) => libraries === null || libraries.length > 0));
}

function librariesOf(caller: Caller, event: NotificationEvent): number[] | null {
  const { account, libraries } = permissionsOfCaller(caller);
  const permission = NOTIFICATION_PERMISSIONS[event];
  if (account.includes(permission)) return null;
  return Object.entries(libraries).flatMap(([id, permitted]) => (permitted.includes(permission) ? [Number(id)] : []));
}

function inOrder(events: readonly NotificationEvent[]): NotificationEvent[] {
  return NOTIFICATION_EVENTS.filter((event) => events.includes(event));
}
