import { sql } from 'kysely';
import type { Db } from '../db.ts';
import { AUDIT_COLUMNS, type AuditLine } from './audit-line.ts';
import type { NamedAuditLine } from './audit-store.ts';
import { type AuditNames, nameAuditLines } from './name-audit-store.ts';

const READ_AT_ONCE = 1_000;

/** Operations of each kind of entry that an owner looks for. `other`: all other operations. */
export const AUDIT_KINDS = {
  'sign-in': ['signIn', 'signOut', 'endOwnSession', 'endOwnSessions', 'endPersonSessions', 'endSessionsByProvider'],
  people: [
    ...['invitePerson', 'invitePersonAgain', 'joinAccount', 'updatePerson', 'deletePerson', 'updateOwnAccount'],
    ...['changeOwnPassword', 'setOwnTotp', 'removeOwnTotp', 'addOwnPasskey', 'renameOwnPasskey', 'removeOwnPasskey'],
    ...['createPersonBySignIn', 'linkPersonBySignIn', 'changeRolesBySignIn'],
  ],
  keys: [
    'createKey',
    'deleteKey',
    'resetApiKey',
    'resetApiKeyByQuery',
    'resetReadOnlyApiKey',
    'resetReadOnlyApiKeyByQuery',
  ],
  providers: ['createSignInProvider', 'updateSignInProvider', 'deleteSignInProvider'],
} as const;
export type AuditKind = keyof typeof AUDIT_KINDS | 'other';

/**
 * Filters of the audit log of the account. Null ones do not apply. `who` is a part of the name of a key or person, in
 * any case. `before` is the id of an entry: only older ones are returned.
 */
export type AccountAuditFilter = {
  kind: AuditKind | null;
  who: string | null;
  operation: string | null;
  libraryId: number | null;
  from: Date | null;
  to: Date | null;
  before: number | null;
};

/** Audit log of all libraries and of the account. */
export type AccountAuditStore = {
  /** Returns entries with the names of their objects, newest first. */
  list(filter: AccountAuditFilter, limit: number): Promise<NamedAuditLine[]>;
  /** Returns all entries that match, in batches, newest first. */
  readAll(filter: AccountAuditFilter): AsyncGenerator<AuditLine[]>;
};

export function createAccountAuditStore(db: Db): AccountAuditStore {
  return {
    async list(filter, limit) {
      const lines = await listLines(db, filter, limit);
      const names = await nameAuditLines(db, lines);
      // `nameAuditLines` returns one entry for each line.
      return lines.map((line, index) => ({ ...line, ...(names[index] as AuditNames) }));
    },
    readAll: (filter) => readLines(db, filter),
  };
}

async function listLines(db: Db, filter: AccountAuditFilter, limit: number): Promise<AuditLine[]> {
  const { kind, who, operation, libraryId, from, to, before } = filter;
  const all: string[] = Object.values(AUDIT_KINDS).flat();
  return db
    .selectFrom('audit_line')
    .select(AUDIT_COLUMNS)
    .$if(kind === 'other', (query) => query.where('operation', 'not in', all))
    .$if(kind !== null && kind !== 'other', (query) =>
      query.where('operation', 'in', kind === null || kind === 'other' ? all : [...AUDIT_KINDS[kind]]),
    )
    .$if(who !== null, (query) => query.where(sql`position(${(who ?? '').toLowerCase()} in lower(key_name))`, '>', 0))
    .$if(operation !== null, (query) => query.where('operation', '=', operation ?? ''))
    .$if(libraryId !== null, (query) => query.where('library_id', '=', libraryId ?? 0))
    .$if(from !== null, (query) => query.where('at', '>=', from ?? new Date(0)))
    .$if(to !== null, (query) => query.where('at', '<', to ?? new Date(0)))
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

async function* readLines(db: Db, filter: AccountAuditFilter): AsyncGenerator<AuditLine[]> {
  let before = filter.before;
  while (true) {
    const lines = await listLines(db, { ...filter, before }, READ_AT_ONCE);
    yield lines;
    before = lines.at(-1)?.id ?? null;
    if (lines.length < READ_AT_ONCE) return;
  }
}
