import { type Selectable, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import type { SignInProviderTable } from './people-schema.ts';
import { lockPeople } from './person-store.ts';
import type { SignInProvider } from './sign-in-provider.ts';

export const MAX_PROVIDERS = 20;

export type NewProvider = Omit<SignInProvider, 'id' | 'createdAt' | 'modifiedAt'>;

/** Providers of sign-ins, which the owner configures. */
export type SignInProviderStore = {
  /** Returns all providers, by name. */
  list(): Promise<SignInProvider[]>;
  /** Throws `Refused` (`not-found`) for an unknown provider. */
  load(id: Guid): Promise<SignInProvider>;
  create(wanted: NewProvider): Promise<SignInProvider>;
  /** Changes a provider. Absent fields stay unchanged. */
  update(id: Guid, change: Partial<NewProvider>): Promise<SignInProvider>;
  /** Deletes a provider. Its people remain, and can use their password or another provider of the same issuer. */
  remove(id: Guid): Promise<void>;
};

type Deps = { db: Db; secretBox: SecretBox };

export function createSignInProviderStore({ db, secretBox }: Deps): SignInProviderStore {
  const toProvider = (row: Selectable<SignInProviderTable>) => providerOf(row, secretBox);
  const require = async (tx: Db | Tx, id: Guid) => {
    const row = await tx.selectFrom('sign_in_provider').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw new Refused('not-found', `Sign-in provider ${id} not found. Check the id.`);
    return toProvider(row);
  };
  return {
    async list() {
      const rows = await db
        .selectFrom('sign_in_provider')
        .selectAll()
        .orderBy(sql`lower(name)`)
        .orderBy('id')
        .execute();
      return rows.map(toProvider);
    },
    load: (id) => require(db, id),
    create: (wanted) =>
      inTransaction(db, async (tx) => {
        await lockPeople(tx);
        await requireRoom(tx);
        await requireLibraries(tx, wanted);
        const id = newGuid();
        await tx
          .insertInto('sign_in_provider')
          .values({ id, ...columnsOf(wanted, secretBox) })
          .execute();
        logOnCommit('sign-in.provider-changed', { providerId: id, state: 'created' });
        return require(tx, id);
      }),
    update: (id, change) =>
      inTransaction(db, async (tx) => {
        await lockPeople(tx);
        const wanted = { ...(await require(tx, id)), ...change };
        await requireLibraries(tx, change);
        const columns = { ...columnsOf(wanted, secretBox), modified_at: sql<Date>`clock_timestamp()` };
        await tx.updateTable('sign_in_provider').set(columns).where('id', '=', id).execute();
        logOnCommit('sign-in.provider-changed', { providerId: id, state: 'changed' });
        return require(tx, id);
      }),
    async remove(id) {
      await require(db, id);
      await db.deleteFrom('sign_in_provider').where('id', '=', id).execute();
      logOnCommit('sign-in.provider-changed', { providerId: id, state: 'deleted' });
    },
  };
}

async function requireRoom(tx: Tx): Promise<void> {
  const rows = await tx.selectFrom('sign_in_provider').select('id').execute();
  if (rows.length < MAX_PROVIDERS) return;
  throw new Refused('invalid', `The account already has ${MAX_PROVIDERS} sign-in providers. Delete one first.`);
}

async function requireLibraries(tx: Tx, { groupRoles = [] }: Partial<NewProvider>): Promise<void> {
  const wanted = [...new Set(groupRoles.map(({ libraryId }) => libraryId))].filter((id) => id !== null);
  const found = await selectLibraries(tx, wanted);
  const missing = wanted.find((id) => !found.has(id));
  if (missing !== undefined) throw new Refused('invalid', `Library ${missing} not found. Check the group roles.`);
}

/** Returns the libraries among `ids` that exist. */
export async function selectLibraries(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const query = tx.selectFrom('library').select('id').where('id', 'in', ids).where('deleted_at', 'is', null);
  return new Set((await query.execute()).map(({ id }) => id));
}

function columnsOf(provider: NewProvider, secretBox: SecretBox) {
  return {
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    client_secret_sealed: provider.clientSecret === null ? null : secretBox.seal(provider.clientSecret),
    scopes: provider.scopes,
    email_domains: JSON.stringify(provider.emailDomains),
    trusts_email: provider.trustsEmail,
    default_role: provider.defaultRole,
    group_claim: provider.groupClaim,
    group_roles: JSON.stringify(provider.groupRoles),
  };
}

function providerOf(row: Selectable<SignInProviderTable>, secretBox: SecretBox): SignInProvider {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: row.client_secret_sealed === null ? null : secretBox.open(row.client_secret_sealed),
    scopes: row.scopes,
    emailDomains: row.email_domains,
    trustsEmail: row.trusts_email,
    defaultRole: row.default_role,
    groupClaim: row.group_claim,
    groupRoles: row.group_roles,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}
