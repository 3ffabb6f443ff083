import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { hashKey, newKey } from '../keys/access-key.ts';
import { SESSION_DAYS } from '../keys/session-store.ts';
import { finishOnce } from './identity-store.ts';
import { type LibraryRole, libraryRoles, toRoles } from './library-roles-store.ts';
import { isPermitted } from './permissions.ts';
import type { Person, Role, SignedInPerson } from './person.ts';

/** Maximum number of sessions of one person; another sign-in ends the oldest. */
const MAX_SESSIONS = 50;

/** A browser in which a person is signed in. */
export type PersonSession = {
  id: Guid;
  /** Browser and system, such as `Firefox on Linux`. */
  device: string;
  address: string;
  createdAt: Date;
  /** Updated with a delay of at most one minute. */
  lastUsedAt: Date;
  expiresAt: Date;
};

/** Browser of a new session. */
export type Device = { device: string; address: string };

/**
 * Sign-in that opens a session. A session ends with the passkey that opened it. A provider can end the sessions that it
 * opened; `session` is its `sid` claim, or null if the provider sends none.
 */
export type SessionOrigin =
  | { kind: 'password' }
  | { kind: 'passkey'; passkeyId: Guid }
  | { kind: 'provider'; issuer: string; session: string | null };

/** Sessions of people. */
export type PersonSessionStore = {
  /**
   * Starts a session. Returns the secret id for its cookie, which is stored only as a hash. The session does not exist
   * if its passkey was deleted in the meantime.
   */
  start(personId: Guid, device: Device, origin: SessionOrigin): Promise<string>;
  /** Returns the person of a session with their current roles, or null if it ended or the person is disabled. */
  find(secret: string): Promise<SignedInPerson | null>;
  /** Returns whether the session with this id is open, and its person may upload to a library. */
  mayUpload(id: Guid, libraryId: number): Promise<boolean>;
  list(personId: Guid): Promise<PersonSession[]>;
  /** Ends the session of a cookie; idempotent. */
  end(secret: string): Promise<void>;
  /** Ends one session of a person, or all except `keep`. Returns the number of ended sessions. */
  endOf(personId: Guid, which: { only: Guid } | { keep: Guid | null }): Promise<number>;
  /**
   * Ends the sessions that a provider opened: those of its session, or else of its subject. Returns each affected
   * person once, or null if the logout was already handled. The logout is remembered for `forSec` seconds.
   */
  endOfProvider(which: ProviderLogout): Promise<Pick<Person, 'id' | 'email'>[] | null>;
};

/** A session at a provider. If both subject and session are given, both must match. Not both are null. */
type ProviderSession = { issuer: string; subject: string | null; sessionId: string | null };
/** The logout of such a session. `tokenId` is unique for its issuer. */
export type ProviderLogout = ProviderSession & { tokenId: string; forSec: number };

export function createPersonSessionStore(db: Db): PersonSessionStore {
  return {
    start: (personId, device, origin) => startSession(db, personId, { ...device, origin }),
    find: (secret) => findPerson(db, sql`hash = ${hashKey(secret)}`),
    async mayUpload(id, libraryId) {
      const person = await findPerson(db, sql`id = ${id}`);
      return person !== null && isPermitted(person.roles, 'videos.upload', libraryId);
    },
    list: (personId) =>
      db
        .selectFrom('person_session')
        .select(['id', 'device', 'address', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
        .select('expires_at as expiresAt')
        .where('person_id', '=', personId)
        .where('expires_at', '>', sql<Date>`now()`)
        .orderBy('last_used_at', 'desc')
        .orderBy('id')
        .execute(),
    async end(secret) {
      await db.deleteFrom('person_session').where('hash', '=', hashKey(secret)).execute();
    },
    async endOf(personId, which) {
      const { numDeletedRows } = await db
        .deleteFrom('person_session')
        .where('person_id', '=', personId)
        .$if('only' in which, (query) => query.where('id', '=', 'only' in which ? which.only : personId))
        .$if('keep' in which && which.keep !== null, (query) =>
          query.where('id', '!=', 'keep' in which && which.keep !== null ? which.keep : personId),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    // In one transaction, so that a provider that repeats a logout after a failure is not refused.
    endOfProvider: ({ tokenId, forSec, ...session }) =>
      inTransaction(db, async (tx) => {
        const isNew = await finishOnce(tx, `logout ${session.issuer} ${tokenId}`, forSec);
        return isNew ? endOfProvider(tx, session) : null;
      }),
  };
}

async function endOfProvider(db: Db, { issuer, subject, sessionId }: ProviderSession) {
  const { rows } = await sql<Pick<Person, 'id' | 'email'>>`
    with ended as (
      delete from person_session
      where provider_issuer = ${issuer}
        and (${sessionId}::text is null or provider_session = ${sessionId})
        and (${subject}::text is null or person_id in (
          select person_id from person_identity where issuer = ${issuer} and subject = ${subject}))
      returning person_id)
    select distinct person.id, person.email from ended join person on person.id = ended.person_id`.execute(db);
  return rows;
}

type Start = Device & { origin: SessionOrigin };

async function startSession(db: Db, personId: Guid, { device, address, origin }: Start): Promise<string> {
  await sql`
    delete from person_session
    where expires_at < now() or id in (
      select id from person_session where person_id = ${personId}
      order by last_used_at desc offset ${MAX_SESSIONS - 1})`.execute(db);
  // 256 random bits, like a key.
  const secret = newKey();
  const expires = sql<Date>`now() + make_interval(days => ${SESSION_DAYS})`;
  const session = { id: newGuid(), hash: hashKey(secret), person_id: personId, device, address, expires_at: expires };
  await inTransaction(db, async (tx) => {
    if (origin.kind === 'passkey' && !(await keepPasskey(tx, origin.passkeyId))) return;
    await tx
      .insertInto('person_session')
      .values({ ...session, ...columnsOf(origin) })
      .execute();
  });
  return secret;
}

function columnsOf(origin: SessionOrigin) {
  switch (origin.kind) {
    case 'password':
      return {};
    case 'passkey':
      return { passkey_id: origin.passkeyId };
    case 'provider':
      return { provider_issuer: origin.issuer, provider_session: origin.session };
  }
}

/** Returns whether a passkey exists. It is not deleted before the transaction ends. */
async function keepPasskey(tx: Tx, id: Guid): Promise<boolean> {
  const rows = await tx.selectFrom('passkey').select('id').where('id', '=', id).forKeyShare().execute();
  return rows.length === 1;
}

type Row = Omit<SignedInPerson, 'roles'> & { role: Role | null; libraries: LibraryRole[] };

/**
 * Finds the person of a session, and updates the times of last use at most once a minute. Returns null if there is no
 * such session or the person is not active.
 */
async function findPerson(db: Db, isIt: ReturnType<typeof sql>): Promise<SignedInPerson | null> {
  const { rows } = await sql<Row>`
    with session as (
      select id, person_id, created_at, last_used_at from person_session where ${isIt} and expires_at > now()),
    used as (
      update person_session set last_used_at = now()
      where id in (select id from session where last_used_at < now() - interval '1 minute')),
    seen as (
      update person set last_seen_at = now()
      where id in (select person_id from session) and status = 'active'
        and (last_seen_at is null or last_seen_at < now() - interval '1 minute'))
    select person.id, person.email, person.name, person.language, person.role, session.id as "sessionId",
      session.created_at as "signedInAt", person.totp_sealed is not null as "hasTotp",
      person.password_hash is not null as "hasPassword",
      ${libraryRoles} as libraries
    from session join person on person.id = session.person_id
    where person.status = 'active'`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { role, libraries, ...person } = row;
  return { ...person, roles: toRoles(role, libraries) };
}
