import { type SqlBool, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { hashKey } from '../keys/access-key.ts';
import type { Person, Roles } from './person.ts';
import { countOwners, hasOwnerRole, lockPeople, MAX_PEOPLE, setLibraryRoles } from './person-store.ts';
import { type Identity, isDomainAllowed, rolesOfGroups, type SignInProvider } from './sign-in-provider.ts';
import { selectLibraries } from './sign-in-provider-store.ts';

/**
 * Reason why a provider's account cannot sign in. `email`: no verified address. `domain`: an address at a domain that
 * is not allowed. `unknown`: no person has this address, and the provider does not create people. `no-role`: no group
 * with a role. `disabled`: the person is disabled. `taken`: another account of the provider belongs to the person with
 * this address. `full`: the account has the maximum number of people.
 */
export type IdentityRefusal = 'email' | 'domain' | 'unknown' | 'no-role' | 'disabled' | 'taken' | 'full';

/** `change` and `losesRoles`: effects of the sign-in on people, for the audit log. */
export type IdentityResult =
  | { kind: 'accepted'; personId: Guid; email: string; change: 'created' | 'linked' | 'roles' | null }
  | { kind: 'refused'; reason: IdentityRefusal; losesRoles?: Pick<Person, 'id' | 'email'> };

/** Accounts of people at sign-in providers. */
export type IdentityStore = {
  /**
   * Finds the person with a verified identity by issuer and subject, or else by verified e-mail address, or else
   * creates one. Updates the roles of a person whom this provider created.
   */
  admit(provider: SignInProvider, identity: Identity): Promise<IdentityResult>;
  /**
   * Marks a sign-in as finished for `forSec` seconds, during which its callback could be replayed. Returns false if it
   * was already marked.
   */
  finish(state: string, forSec: number): Promise<boolean>;
};

export function createIdentityStore(db: Db): IdentityStore {
  return {
    admit: (provider, identity) =>
      inTransaction(db, async (tx) => {
        await lockPeople(tx);
        return admit(tx, provider, identity);
      }),
    finish: (state, forSec) => finishOnce(db, state, forSec),
  };
}

/** Marks something that may happen once, like `finish`, for example in a transaction with its effect. */
export async function finishOnce(db: Db, state: string, forSec: number): Promise<boolean> {
  await db.deleteFrom('finished_sign_in').where('expires_at', '<', sql<Date>`now()`).execute();
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('finished_sign_in')
    .values({ hash: hashKey(state), expires_at: sql<Date>`now() + make_interval(secs => ${forSec})` })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

type Known = Pick<Person, 'id' | 'email' | 'status'> & { role: Person['roles']['account']; createdBy: Guid | null };

async function admit(tx: Tx, provider: SignInProvider, identity: Identity): Promise<IdentityResult> {
  const linked = await selectKnown(tx, isLinkedTo(identity));
  const email = identity.isEmailVerified ? identity.email : null;
  if (email === null && (linked === null || provider.emailDomains.length > 0)) return refused('email');
  if (email !== null && !isDomainAllowed(provider, email)) return refused('domain');
  if (linked !== null) return readmit(tx, linked, { provider, identity });
  // Without an address, only a linked person is admitted.
  const address = email ?? '';
  const known = await selectKnown(tx, sql`lower(person.email) = ${address.toLowerCase()}`);
  return known === null ? createPerson(tx, address, { provider, identity }) : link(tx, known, { provider, identity });
}

const refused = (reason: IdentityRefusal): IdentityResult => ({ kind: 'refused', reason });

type Claimed = { provider: SignInProvider; identity: Identity };

/** Updates the roles of a person whom the provider created, if it maps groups to roles. */
async function readmit(tx: Tx, person: Known, { provider, identity }: Claimed): Promise<IdentityResult> {
  if (person.status === 'disabled') return refused('disabled');
  const accepted = { kind: 'accepted', personId: person.id, email: person.email } as const;
  const isMapped = person.createdBy === provider.id && provider.groupClaim !== null && provider.groupRoles.length > 0;
  if (!isMapped) return { ...accepted, change: null };
  const roles = await existingRoles(tx, rolesOfGroups(provider, identity.groups));
  const isOwner = person.role === 'owner' && person.status === 'active';
  if (isOwner && roles.account !== 'owner' && (await countOwners(tx)) === 1) {
    logOnCommit('person.owner-kept', { personId: person.id, providerId: provider.id });
    return { ...accepted, change: null };
  }
  const isChanged = await setRoles(tx, person, roles);
  if (isEmpty(roles)) {
    await tx.deleteFrom('person_session').where('person_id', '=', person.id).execute();
    return { kind: 'refused', reason: 'no-role', ...(isChanged && { losesRoles: person }) };
  }
  return { ...accepted, change: isChanged ? 'roles' : null };
}

async function setRoles(tx: Tx, { id, role }: Known, { account, libraries }: Roles): Promise<boolean> {
  const rows = await tx.selectFrom('person_role').selectAll().where('person_id', '=', id).execute();
  const isSame =
    role === account &&
    rows.length === libraries.size &&
    rows.every((row) => libraries.get(row.library_id) === row.role);
  if (isSame) return false;
  await tx.updateTable('person').set({ role: account }).where('id', '=', id).execute();
  await setLibraryRoles(tx, id, libraries);
  const before = { account: role, libraries: new Map(rows.map((row) => [row.library_id, row.role])) };
  // Anyone who has an unused link could otherwise set the password of an owner.
  if (hasOwnerRole({ account, libraries }) && !hasOwnerRole(before)) {
    await tx.deleteFrom('invitation').where('person_id', '=', id).execute();
  }
  logOnCommit('person.changed', { personId: id });
  return true;
}

/** Links the account of a provider to the person with its verified address, once per issuer. */
async function link(tx: Tx, person: Known, { provider, identity }: Claimed): Promise<IdentityResult> {
  if (person.status === 'disabled') return refused('disabled');
  const others = await tx
    .selectFrom('person_identity')
    .select('subject')
    .where('person_id', '=', person.id)
    .where('issuer', '=', identity.issuer)
    .execute();
  if (others.length > 0) return refused('taken');
  await insertIdentity(tx, person.id, { provider, identity });
  if (person.status === 'invited') {
    await tx.updateTable('person').set({ status: 'active' }).where('id', '=', person.id).execute();
    await tx.deleteFrom('invitation').where('person_id', '=', person.id).execute();
  }
  return { kind: 'accepted', personId: person.id, email: person.email, change: 'linked' };
}

async function createPerson(tx: Tx, email: string, { provider, identity }: Claimed): Promise<IdentityResult> {
  const roles = await existingRoles(tx, rolesOfGroups(provider, identity.groups));
  const { n } = await tx
    .selectFrom('person')
    .select((eb) => eb.fn.countAll().as('n'))
    .executeTakeFirstOrThrow();
  if (isEmpty(roles)) return refused('unknown');
  if (Number(n) >= MAX_PEOPLE) return refused('full');
  const id = newGuid();
  const { name } = identity;
  const origin = { status: 'active', created_by_provider: provider.id } as const;
  await tx
    .insertInto('person')
    .values({ id, email, name, role: roles.account, ...origin })
    .execute();
  await setLibraryRoles(tx, id, roles.libraries);
  await insertIdentity(tx, id, { provider, identity });
  return { kind: 'accepted', personId: id, email, change: 'created' };
}

async function insertIdentity(tx: Tx, personId: Guid, { provider, identity }: Claimed): Promise<void> {
  const { issuer, subject } = identity;
  await tx.insertInto('person_identity').values({ issuer, subject, person_id: personId }).execute();
  logOnCommit('person.linked', { personId, providerId: provider.id });
}

/** Returns the roles without those in libraries that were deleted after the provider was configured. */
async function existingRoles(tx: Tx, { account, libraries }: Roles): Promise<Roles> {
  const existing = await selectLibraries(tx, [...libraries.keys()]);
  return { account, libraries: new Map([...libraries].filter(([id]) => existing.has(id))) };
}

function isEmpty({ account, libraries }: Roles): boolean {
  return account === null && libraries.size === 0;
}

function isLinkedTo({ issuer, subject }: Identity) {
  return sql`person.id = (
    select person_id from person_identity where issuer = ${issuer} and subject = ${subject})`;
}

async function selectKnown(tx: Tx, isIt: ReturnType<typeof sql>): Promise<Known | null> {
  const row = await tx
    .selectFrom('person')
    .select(['id', 'email', 'status', 'role', 'created_by_provider as createdBy'])
    .where(sql<SqlBool>`${isIt}`)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}
