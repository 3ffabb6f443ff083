import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { hashKey } from '../keys/access-key.ts';
import { noteChange } from '../note-change.ts';
import { hashPassword, hasPassword, requireGoodPassword } from './password-hash.ts';
import { findTotpStep } from './totp.ts';

/**
 * Result of a sign-in. `needs-code`: the password is correct, and the person must also send a code of the second
 * factor.
 */
export type SignInResult = { kind: 'accepted'; personId: Guid } | { kind: 'needs-code' } | { kind: 'refused' };

/** Passwords, second factors and invitations of people. */
export type CredentialStore = {
  /** Checks e-mail, password and code. Takes the same time for unknown people. */
  signIn(given: { email: string; password: string; code: string | null }): Promise<SignInResult>;
  /** Returns the person of an invitation without using it, or null if it was used, has expired or never existed. */
  findInvitation(secret: string): Promise<{ email: string; name: string } | null>;
  /**
   * Uses an invitation: sets the password, removes the second factor and all passkeys, and ends all sessions. Returns
   * the person's id, or null for an invalid invitation.
   */
  accept(secret: string, chosen: { name: string; password: string }): Promise<Guid | null>;
  /** Returns whether the person has this password. */
  isPasswordOf(personId: Guid, password: string): Promise<boolean>;
  /** Sets a password and ends all sessions of the person, at once. */
  changePassword(personId: Guid, password: string): Promise<void>;
  /**
   * Sets the secret of the second factor after checking a code made with it, and ends all sessions except `keep`, at
   * once. Throws `Refused` for a wrong code.
   */
  setTotp(personId: Guid, given: { secret: string; code: string; keep: Guid }): Promise<void>;
  removeTotp(personId: Guid): Promise<void>;
  rename(personId: Guid, chosen: { name: string; language: string | null }): Promise<void>;
};

type Deps = { db: Db; secretBox: SecretBox };

export function createCredentialStore({ db, secretBox }: Deps): CredentialStore {
  return {
    signIn: (given) => signIn({ db, secretBox }, given),
    async findInvitation(secret) {
      const found = await selectInvitation(db, secret);
      return found === null ? null : { email: found.email, name: found.name };
    },
    accept: (secret, chosen) => accept(db, secret, chosen),
    async isPasswordOf(personId, password) {
      const row = await db.selectFrom('person').select('password_hash').where('id', '=', personId).executeTakeFirst();
      return hasPassword(password, row?.password_hash ?? null);
    },
    async changePassword(personId, password) {
      const { email } = await db
        .selectFrom('person')
        .select('email')
        .where('id', '=', personId)
        .executeTakeFirstOrThrow();
      requireGoodPassword(password, email);
      await secure(db, personId, { password_hash: await hashPassword(password) }, null);
    },
    async setTotp(personId, { secret, code, keep }) {
      const step = findTotpStep({ secret, code, lastStep: null });
      if (step === null)
        throw new Refused('invalid', 'This code is wrong. Check the clock of your device and try again.');
      await secure(db, personId, { totp_sealed: secretBox.seal(secret), totp_step: step }, keep);
    },
    async removeTotp(personId) {
      await db.updateTable('person').set({ totp_sealed: null }).where('id', '=', personId).execute();
      logOnCommit('person.secured', { personId });
    },
    async rename(personId, { name, language }) {
      await inTransaction(db, async (tx) => {
        const row = tx.selectFrom('person').select(['name', 'language']).where('id', '=', personId).forUpdate();
        const before = await row.executeTakeFirstOrThrow();
        await tx.updateTable('person').set({ name, language }).where('id', '=', personId).execute();
        const after = { Name: name, Language: language };
        noteChange({ kind: 'fields', before: { Name: before.name, Language: before.language }, after });
        logOnCommit('person.changed', { personId });
      });
    },
  };
}

type Credentials = { password_hash: string } | { totp_sealed: Buffer; totp_step: number };

/** Changes credentials and ends all sessions except `keep`, so that no session of a stolen password is left. */
async function secure(db: Db, personId: Guid, credentials: Credentials, keep: Guid | null): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.updateTable('person').set(credentials).where('id', '=', personId).execute();
    await tx
      .deleteFrom('person_session')
      .where('person_id', '=', personId)
      .$if(keep !== null, (query) => query.where('id', '!=', keep ?? personId))
      .execute();
    logOnCommit('person.secured', { personId });
  });
}

async function signIn(
  { db, secretBox }: Deps,
  { email, password, code }: { email: string; password: string; code: string | null },
): Promise<SignInResult> {
  const row = await db
    .selectFrom('person')
    .select(['id', 'status', 'password_hash', 'totp_sealed', 'totp_step'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
  const isRight = await hasPassword(password, row?.password_hash ?? null);
  if (row === undefined || !isRight || row.status !== 'active') return { kind: 'refused' };
  if (row.totp_sealed === null) return { kind: 'accepted', personId: row.id };
  if (code === null) return { kind: 'needs-code' };
  const step = findTotpStep({ secret: secretBox.open(row.totp_sealed), code, lastStep: row.totp_step });
  if (step === null) return { kind: 'refused' };
  // Two sign-ins with the same code may run at the same time. Only one of them moves the step forward.
  const { numUpdatedRows } = await db
    .updateTable('person')
    .set({ totp_step: step })
    .where('id', '=', row.id)
    .where(({ eb, or }) => or([eb('totp_step', 'is', null), eb('totp_step', '<', step)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n ? { kind: 'accepted', personId: row.id } : { kind: 'refused' };
}

async function accept(
  db: Db,
  secret: string,
  { name, password }: { name: string; password: string },
): Promise<Guid | null> {
  const invited = await selectInvitation(db, secret);
  if (invited === null) return null;
  requireGoodPassword(password, invited.email);
  const hash = await hashPassword(password);
  return inTransaction(db, async (tx) => {
    const personId = await useInvitation(tx, secret);
    if (personId === null) return null;
    const values = { name, password_hash: hash, totp_sealed: null, totp_step: null, status: 'active' as const };
    await tx.updateTable('person').set(values).where('id', '=', personId).execute();
    await tx.deleteFrom('person_session').where('person_id', '=', personId).execute();
    // The new link is a reset, so a passkey of somebody who used the account must not open it.
    await tx.deleteFrom('passkey').where('person_id', '=', personId).execute();
    logOnCommit('person.joined', { personId });
    return personId;
  });
}

async function useInvitation(tx: Tx, secret: string): Promise<Guid | null> {
  const gone = await tx
    .deleteFrom('invitation')
    .where('hash', '=', hashKey(secret))
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('person_id')
    .executeTakeFirst();
  return gone?.person_id ?? null;
}

async function selectInvitation(db: Db, secret: string): Promise<{ email: string; name: string } | null> {
  const row = await db
    .selectFrom('invitation')
    .innerJoin('person', 'person.id', 'invitation.person_id')
    .select(['person.email', 'person.name'])
    .where('invitation.hash', '=', hashKey(secret))
    .where('invitation.expires_at', '>', sql<Date>`now()`)
    .where('person.status', '!=', 'disabled')
    .executeTakeFirst();
  return row ?? null;
}
