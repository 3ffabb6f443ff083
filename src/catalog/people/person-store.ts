import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { hashKey, newKey } from '../keys/access-key.ts';
import { noteChange } from '../note-change.ts';
import type { Person, PersonStatus, Role, Roles } from './person.ts';

export const MAX_PEOPLE = 10_000;
/** Days for which an invitation is valid. */
export const INVITATION_DAYS = 7;
/** See `lockPeople`. */
const PEOPLE_LOCK = 7_700_010;

export type NewPerson = Pick<Person, 'email' | 'name' | 'roles'>;
/** Absent fields stay unchanged. */
export type PersonChange = Partial<Pick<Person, 'name'>> & {
  status?: 'active' | 'disabled';
  /** Returns the new roles. */
  roles?: (before: Roles) => Roles;
};

/**
 * Throws `Refused` if the caller may not change a person with these roles. Called with the roles before and after a
 * change.
 */
export type MayChange = (roles: Roles) => void;

/** People and their invitations. */
export type PersonStore = {
  /** Returns a page of people by e-mail, and their total number. `page` counts from 1. */
  list(query: { page: number; perPage: number }): Promise<{ total: number; people: Person[] }>;
  /** Throws `Refused` (`not-found`) for an unknown person. */
  load(id: Guid): Promise<Person>;
  /** Creates a person with an invitation. Its secret is returned only here. Throws `Refused` for an e-mail in use. */
  invite(wanted: NewPerson, mayChange: MayChange): Promise<Person & { secret: string }>;
  /**
   * Replaces the invitation of a person, and unlinks their accounts of providers. The holder of the invitation chooses
   * a new password, which removes the second factor.
   */
  invitePersonAgain(id: Guid, mayChange: MayChange): Promise<Person & { secret: string }>;
  /** Changes a person. Disabling a person ends all of their sessions. Throws `Refused` for the last owner. */
  update(id: Guid, change: PersonChange, mayChange: MayChange): Promise<Person>;
  /** Deletes a person with their sessions. Throws `Refused` for the last owner. */
  remove(id: Guid, mayChange: MayChange): Promise<void>;
};

export function createPersonStore(db: Db): PersonStore {
  return {
    list: (query) => listPeople(db, query),
    load: (id) => requirePerson(db, id),
    invite: (wanted, mayChange) => change(db, (tx) => insertPerson(tx, wanted, mayChange)),
    invitePersonAgain: (id, mayChange) =>
      change(db, async (tx) => {
        const person = await requirePerson(tx, id);
        mayChange(person.roles);
        if (person.status === 'disabled') {
          throw new Refused('invalid', `Person ${id} is disabled. Set Status to active first.`);
        }
        // The new link is a reset, so an account of a provider is linked again with the next sign-in.
        await tx.deleteFrom('person_identity').where('person_id', '=', id).execute();
        logOnCommit('person.invited', { personId: id });
        return { ...person, secret: await replaceInvitation(tx, id) };
      }),
    update: (id, wanted, mayChange) => change(db, (tx) => updatePerson(tx, { id, wanted, mayChange })),
    remove: (id, mayChange) =>
      change(db, async (tx) => {
        const before = await requirePerson(tx, id);
        mayChange(before.roles);
        noteChange({ kind: 'person', before, after: null });
        await tx.deleteFrom('person').where('id', '=', id).execute();
        logOnCommit('person.deleted', { personId: id });
      }),
  };
}

/** Runs a change. Throws `Refused` if there was an active owner before the change and is none after it. */
async function change<T>(db: Db, task: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await lockPeople(tx);
    const before = await countOwners(tx);
    const result = await task(tx);
    if (before > 0 && (await countOwners(tx)) === 0) {
      throw new Refused(
        'conflict',
        'This is the last active owner of the account. Make another person an owner first.',
      );
    }
    return result;
  });
}

/** Serialises changes of people, so that two of them cannot both remove the other of the last two owners. */
export async function lockPeople(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${PEOPLE_LOCK})`.execute(tx);
}

/** Returns the number of active owners of the account. */
export async function countOwners(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom('person')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  return Number(n);
}

async function insertPerson(
  tx: Tx,
  { email, name, roles }: NewPerson,
  mayChange: MayChange,
): Promise<Person & { secret: string }> {
  mayChange(roles);
  const known = await tx.selectFrom('person').select('id').where(sql`lower(email)`, '=', email.toLowerCase()).execute();
  if (known.length > 0) throw new Refused('conflict', 'A person with this e-mail address already exists.');
  const { n } = await tx
    .selectFrom('person')
    .select((eb) => eb.fn.countAll().as('n'))
    .executeTakeFirstOrThrow();
  if (Number(n) >= MAX_PEOPLE)
    throw new Refused('invalid', `The account already has ${MAX_PEOPLE} people. Delete one first.`);
  const id = newGuid();
  const row = { id, email, name, status: 'invited' as const, role: roles.account };
  await tx.insertInto('person').values(row).execute();
  await setLibraryRoles(tx, id, roles.libraries);
  logOnCommit('person.invited', { personId: id });
  const after = await requirePerson(tx, id);
  noteChange({ kind: 'person', before: null, after });
  return { ...after, secret: await replaceInvitation(tx, id) };
}

async function updatePerson(
  tx: Tx,
  { id, wanted, mayChange }: { id: Guid; wanted: PersonChange; mayChange: MayChange },
): Promise<Person> {
  await tx.selectFrom('person').select('id').where('id', '=', id).forUpdate().execute();
  const person = await requirePerson(tx, id);
  mayChange(person.roles);
  const { name = person.name } = wanted;
  const roles = wanted.roles?.(person.roles) ?? person.roles;
  mayChange(roles);
  const status = await nextStatus(tx, person, wanted.status);
  await tx.updateTable('person').set({ name, status, role: roles.account }).where('id', '=', id).execute();
  if (wanted.roles !== undefined) await setLibraryRoles(tx, id, roles.libraries);
  if (status === 'disabled') await tx.deleteFrom('person_session').where('person_id', '=', id).execute();
  // Anyone who has an unused invitation link of the person could set their password.
  const becomesOwner = hasOwnerRole(roles) && !hasOwnerRole(person.roles);
  if (status === 'disabled' || becomesOwner) {
    await tx.deleteFrom('invitation').where('person_id', '=', id).execute();
  }
  logOnCommit('person.changed', { personId: id });
  const after = await requirePerson(tx, id);
  noteChange({ kind: 'person', before: person, after });
  return after;
}

/** Returns whether roles include that of an owner, in the account or in a library. */
export function hasOwnerRole({ account, libraries }: Roles): boolean {
  return account === 'owner' || [...libraries.values()].includes('owner');
}

/** Returns the status after a change. A person who could never sign in becomes `invited` instead of `active`. */
async function nextStatus(tx: Tx, { id, status }: Person, wanted: PersonChange['status']): Promise<PersonStatus> {
  if (wanted !== 'active') return wanted ?? status;
  const row = await tx.selectFrom('person').select('password_hash').where('id', '=', id).executeTakeFirstOrThrow();
  if (row.password_hash !== null) return 'active';
  const linked = await tx.selectFrom('person_identity').select('subject').where('person_id', '=', id).execute();
  return linked.length > 0 ? 'active' : 'invited';
}

/** Replaces the roles of a person in single libraries. Throws `Refused` for an unknown library. */
export async function setLibraryRoles(tx: Tx, id: Guid, roles: ReadonlyMap<number, Role>): Promise<void> {
  await tx.deleteFrom('person_role').where('person_id', '=', id).execute();
  if (roles.size === 0) return;
  const found = await tx
    .selectFrom('library')
    .select('id')
    .where('id', 'in', [...roles.keys()])
    .where('deleted_at', 'is', null)
    .execute();
  const missing = [...roles.keys()].find((libraryId) => !found.some((row) => row.id === libraryId));
  if (missing !== undefined) throw new Refused('invalid', `Library ${missing} not found. Check the library roles.`);
  const rows = [...roles].map(([libraryId, role]) => ({ person_id: id, library_id: libraryId, role }));
  await tx.insertInto('person_role').values(rows).execute();
}

async function replaceInvitation(tx: Tx, personId: Guid): Promise<string> {
  // 256 random bits, like a key.
  const secret = newKey();
  await tx.deleteFrom('invitation').where('person_id', '=', personId).execute();
  const expires = sql<Date>`now() + make_interval(days => ${INVITATION_DAYS})`;
  await tx
    .insertInto('invitation')
    .values({ hash: hashKey(secret), person_id: personId, expires_at: expires })
    .execute();
  return secret;
}

async function requirePerson(db: Db, id: Guid): Promise<Person> {
  const [person] = await selectPeople(db, [id]);
  if (person === undefined) throw new Refused('not-found', `Person ${id} not found. Check the id.`);
  return person;
}

async function listPeople(
  db: Db,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ total: number; people: Person[] }> {
  const ids = await db
    .selectFrom('person')
    .select('id')
    .orderBy(sql`lower(email)`)
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  const { n } = await db
    .selectFrom('person')
    .select((eb) => eb.fn.countAll().as('n'))
    .executeTakeFirstOrThrow();
  return {
    total: Number(n),
    people: await selectPeople(
      db,
      ids.map(({ id }) => id),
    ),
  };
}

async function selectPeople(db: Db, ids: readonly Guid[]): Promise<Person[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('person')
    .select(['id', 'email', 'name', 'language', 'status', 'role', 'created_at', 'last_seen_at'])
    .select(sql<boolean>`totp_sealed is not null`.as('has_totp'))
    .where('id', 'in', ids)
    .orderBy(sql`lower(email)`)
    .execute();
  const roles = await db.selectFrom('person_role').selectAll().where('person_id', 'in', ids).execute();
  return rows.map(({ id, email, name, language, status, role, ...row }) => {
    const own = roles.filter((each) => each.person_id === id);
    const libraries = new Map(own.map((each) => [each.library_id, each.role]));
    const dates = { createdAt: row.created_at, lastSeenAt: row.last_seen_at };
    return { id, email, name, language, status, roles: { account: role, libraries }, hasTotp: row.has_totp, ...dates };
  });
}
