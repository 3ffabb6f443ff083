import { sql } from 'kysely';
import type { Role, Roles } from './person.ts';

export type LibraryRole = [libraryId: number, role: Role];

/** SQL: the roles of a row of `person` in libraries. */
export const libraryRoles = sql<LibraryRole[]>`coalesce((
  select jsonb_agg(jsonb_build_array(r.library_id, r.role)) from person_role r where r.person_id = person.id), '[]')`;

/** Returns the roles of a person with a role in the account and these in libraries. */
export function toRoles(account: Role | null, libraries: readonly LibraryRole[]): Roles {
  return { account, libraries: new Map(libraries) };
}
