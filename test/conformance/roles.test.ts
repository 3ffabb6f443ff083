import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { PERMISSIONS } from '../../src/catalog/people/permissions.ts';
import { ROLES, type Role } from '../../src/catalog/people/person.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { join, type TestPerson } from '../support/people.ts';
import { nameOf, type Real } from './interface-data.ts';
import { sampleBody } from './sample-body.ts';
import { startWorld, type World } from './world.ts';

let world: World;
/** People with a role in the account, and with a role in the first library only. */
const people = new Map<string, TestPerson>();
beforeAll(async () => {
  world = await startWorld();
  for (const role of ROLES) {
    people.set(`account ${role}`, await join(world.api, { role, email: `account-${role}@example.com` }));
    const libraries = [{ LibraryId: 1, Role: role }];
    people.set(`library ${role}`, await join(world.api, { libraries, email: `library-${role}@example.com` }));
    const others = [{ LibraryId: world.api.second.id, Role: role }];
    people.set(`foreign ${role}`, await join(world.api, { libraries: others, email: `foreign-${role}@example.com` }));
  }
});
afterAll(async () => {
  expect(world.api.faults).toEqual([]);
  await world.stop();
});

/** Roles of people in these tests: in the account, in the first library, or in another library. */
type Place = 'account' | 'library' | 'foreign';

/** Operations whose path names the library by `id`. */
const namesLibrary = ({ path }: Real) => path.startsWith('/videolibrary/{id}') || path.includes('{libraryId}');

function isExpected({ permission }: Real, place: Place, role: Role): boolean {
  const { level, roles } = PERMISSIONS[permission];
  if (!(roles as readonly Role[]).includes(role)) return false;
  return place === 'account' || level === 'any' || (level === 'library' && place === 'library');
}

for (const operation of operations.filter(({ auth }) => auth !== 'none')) {
  test(`${nameOf(operation)} is open to exactly the roles with ${operation.permission}`, async () => {
    for (const place of ['account', 'library', 'foreign'] as const) {
      for (const role of ROLES) {
        const { status, text } = await request(operation, place, role);
        const of = `${place} ${role}: ${status} ${text.slice(0, 200)}`;
        if (isExpected(operation, place, role)) expect([401, 403], of).not.toContain(status);
        else expect(status, of).toBe(403);
      }
    }
  });
}

test('no operation that needs credentials has the public permission, and each open one has', () => {
  for (const { auth, permission, name } of operations)
    expect([name, permission === 'public']).toEqual([name, auth === 'none']);
});

test('a permission of a library is only used by operations whose path names the library', () => {
  const unnamed = operations.filter(
    (operation) => PERMISSIONS[operation.permission].level === 'library' && !namesLibrary(operation),
  );
  expect(unnamed.map(nameOf)).toEqual([]);
});

async function request(operation: Real, place: Place, role: Role) {
  const person = people.get(`${place} ${role}`);
  const path = await addressFor(operation, place, role);
  const body = sampleBody(operation, world);
  return world.ask({
    method: operation.method,
    path,
    key: null,
    headers: person?.headers ?? {},
    ...(body !== null && { body }),
  });
}

/**
 * Gives a person with a role in the first library the same role in a library that the operation's path names, and a
 * person the comment that it names.
 */
async function addressFor(operation: Real, place: Place, role: Role): Promise<string> {
  const address = await world.address(operation, 'own');
  const [, comment] = /\/comments\/([^/]+)$/.exec(address) ?? [];
  if (comment !== undefined) await giveComment(comment, people.get(`${place} ${role}`));
  const [, id] = /^\/videolibrary\/(\d+)/.exec(address) ?? [];
  const person = people.get(`${place} ${role}`);
  if (place !== 'library' || id === undefined || person === undefined) return address;
  // The id comes from our own response.
  const row = { person_id: person.id as Guid, library_id: Number(id), role };
  await world.api.database.db.insertInto('person_role').values(row).execute();
  return address;
}

/** Makes a person the author of a comment, because roles without `videos.edit` may change only their own. */
async function giveComment(id: string, person: TestPerson | undefined): Promise<void> {
  // The id comes from our own response.
  const query = world.api.database.db.updateTable('review_comment').where('id', '=', id as Guid);
  await query.set({ author_id: person?.id ?? '' }).execute();
}
