import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { type LibraryRole, libraryRoles, toRoles } from '../people/library-roles-store.ts';
import type { Role, Roles } from '../people/person.ts';
import type { NotificationEvent, Summary } from './notification.ts';

/** A person who gets e-mail. `events` are those that the person wants by e-mail. */
export type EmailRecipient = { email: string; language: string | null; roles: Roles; events: NotificationEvent[] };

/**
 * Returns a person with the current address, roles and choices, or null if the person may not sign in or was deleted.
 */
export async function findEmailRecipient(db: Db, personId: Guid): Promise<EmailRecipient | null> {
  const { rows } = await sql<Omit<EmailRecipient, 'roles'> & { role: Role | null; roles: LibraryRole[] }>`
    select person.email, person.language, person.role, c.email as events, ${libraryRoles} as roles
    from person join notification_choice c on c.person_id = person.id
    where person.id = ${personId} and person.status = 'active'`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { role, roles, ...person } = row;
  return { ...person, roles: toRoles(role, roles) };
}

/** Titles of videos and streams by id, and names of libraries. Deleted ones are absent. */
export type SummaryNames = { titles: ReadonlyMap<Guid, string>; libraries: ReadonlyMap<number, string> };

/** Returns the current names of everything that a message is about. */
export async function loadNames(db: Db, { counts, items }: Summary): Promise<SummaryNames> {
  const { rows: media } = await sql<{ id: Guid; title: string }>`
    select id, title from media
    where type <> 'trash' and (library_id, id) in (
      select * from unnest(${items.map(({ libraryId }) => libraryId)}::bigint[],
        ${items.map(({ mediaId }) => mediaId)}::uuid[]))`.execute(db);
  const libraryIds = [...new Set(counts.map(({ libraryId }) => libraryId))];
  const { rows: libraries } = await sql<{ id: number; name: string }>`
    select id, name from library where id = any(${libraryIds}::bigint[]) and deleted_at is null`.execute(db);
  return {
    titles: new Map(media.map(({ id, title }) => [id, title])),
    libraries: new Map(libraries.map(({ id, name }) => [id, name])),
  };
}
