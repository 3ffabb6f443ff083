import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';

/** Maximum number of passkeys of one person. */
const MAX_PASSKEYS = 20;

/** A passkey of a person, which replaces the password and the second factor. */
export type Passkey = {
  id: Guid;
  name: string;
  /** Whether the credential is copied to other devices of the person, as by a password manager. */
  isBackedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
};

/** A credential in base64url, its COSE public key, and the authenticator's counter of signatures. */
export type PasskeyCredential = { credentialId: string; publicKey: Buffer; counter: number; isBackedUp: boolean };

/** A stored credential with its owner. */
export type StoredCredential = PasskeyCredential & { id: Guid; personId: Guid };

/** Passkeys of people. */
export type PasskeyStore = {
  /** Returns the passkeys of a person, oldest first. */
  list(personId: Guid): Promise<(Passkey & { credentialId: string })[]>;
  /** Throws `Refused` (`conflict`) for a credential that is already stored, or too many passkeys. */
  add(personId: Guid, given: PasskeyCredential & { name: string }): Promise<void>;
  /** Returns the credential of an active person, or null if there is none. */
  find(credentialId: string): Promise<StoredCredential | null>;
  /**
   * Records a use. Returns false if the passkey was deleted, its person is not active, or the counter does not exceed
   * the stored one, which is a sign of a cloned authenticator (WebAuthn Level 3 section 6.1.1).
   */
  use(id: Guid, used: { counter: number; isBackedUp: boolean }): Promise<boolean>;
  /** Throws `Refused` (`not-found`) if the person has no such passkey. */
  rename(personId: Guid, id: Guid, name: string): Promise<void>;
  /** Deletes a passkey and ends all sessions that it opened, except `keep`. Idempotent. */
  remove(personId: Guid, id: Guid, keep: Guid): Promise<void>;
};

export function createPasskeyStore(db: Db): PasskeyStore {
  return {
    list: (personId) =>
      db
        .selectFrom('passkey')
        .select(['id', 'name', 'credential_id as credentialId', 'is_backed_up as isBackedUp'])
        .select(['created_at as createdAt', 'last_used_at as lastUsedAt'])
        .where('person_id', '=', personId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    add: (personId, given) => addPasskey(db, personId, given),
    async find(credentialId) {
      const row = await db
        .selectFrom('passkey')
        .innerJoin('person', 'person.id', 'passkey.person_id')
        .select(['passkey.id', 'person_id as personId', 'credential_id as credentialId', 'public_key as publicKey'])
        .select(['counter', 'is_backed_up as isBackedUp'])
        .where('credential_id', '=', credentialId)
        .where('person.status', '=', 'active')
        .executeTakeFirst();
      return row ?? null;
    },
    async use(id, { counter, isBackedUp }) {
      const { rows } = await sql`
        update passkey set counter = ${counter}::bigint, is_backed_up = ${isBackedUp}, last_used_at = now()
        where id = ${id} and (counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0))
          and exists (select from person where person.id = person_id and status = 'active')
        returning id`.execute(db);
      return rows.length === 1;
    },
    async rename(personId, id, name) {
      const { numUpdatedRows } = await db
        .updateTable('passkey')
        .set({ name })
        .where('id', '=', id)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new Refused('not-found', 'This passkey does not exist. Reload the page.');
    },
    remove: (personId, id, keep) =>
      inTransaction(db, async (tx) => {
        await tx
          .updateTable('person_session')
          .set({ passkey_id: null })
          .where('id', '=', keep)
          .where('passkey_id', '=', id)
          .execute();
        const { numDeletedRows } = await tx
          .deleteFrom('passkey')
          .where('id', '=', id)
          .where('person_id', '=', personId)
          .executeTakeFirst();
        if (numDeletedRows > 0n) logOnCommit('person.secured', { personId });
      }),
  };
}

async function addPasskey(db: Db, personId: Guid, given: PasskeyCredential & { name: string }): Promise<void> {
  const { name, credentialId, publicKey, counter, isBackedUp } = given;
  await inTransaction(db, async (tx) => {
    // Serialises additions, so that two of them cannot both be the last allowed one.
    await tx.selectFrom('person').select('id').where('id', '=', personId).forUpdate().execute();
    const own = await tx.selectFrom('passkey').select('id').where('person_id', '=', personId).execute();
    if (own.length >= MAX_PASSKEYS) {
      throw new Refused('conflict', `You have ${MAX_PASSKEYS} passkeys, which is the maximum. Delete one first.`);
    }
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('passkey')
      .values({
        ...{ id: newGuid(), person_id: personId, credential_id: credentialId, public_key: publicKey },
        ...{ counter, is_backed_up: isBackedUp, name, last_used_at: null },
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 1n) throw new Refused('conflict', 'This passkey is already in use.');
    logOnCommit('person.secured', { personId });
  });
}
