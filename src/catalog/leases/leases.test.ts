import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { type Held, LEASE_USERS, type LeasedRow } from '../../../test/support/lease-users.ts';
import { newGuid } from '../../lib/guid.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

async function claim(row: LeasedRow): Promise<Held> {
  const held = await row.claim(newGuid());
  if (held === null) throw new Error('Expected a claim.');
  return held;
}

describe.each(LEASE_USERS)('a lease of $name', ({ takesOver, add }) => {
  test('can be renewed, and lets its holder store output', async () => {
    const held = await claim(await add(database.db));
    expect(await held.renew()).toBe(true);
    expect(await held.store()).toBe(true);
  });

  test(takesOver ? 'passes to the newest owner' : 'has only one owner at a time', async () => {
    const row = await add(database.db);
    const first = await claim(row);
    const second = await row.claim(newGuid());
    expect(second !== null).toBe(takesOver);
    expect(await first.renew()).toBe(!takesOver);
    expect(await first.store()).toBe(!takesOver);
  });

  test('cannot be renewed after its release, and is immediately available to the next owner', async () => {
    const row = await add(database.db);
    const first = await claim(row);
    await first.release();
    expect(await first.renew()).toBe(false);
    const second = await claim(row);
    expect(await first.store()).toBe(false);
    expect(await second.renew()).toBe(true);
    expect(await second.store()).toBe(true);
  });

  test('passes to the next owner after it expires, and rejects renewals and output of the previous owner', async () => {
    const row = await add(database.db);
    const late = await claim(row);
    await row.expire();
    const next = await claim(row);
    expect(await late.renew()).toBe(false);
    expect(await late.store()).toBe(false);
    expect(await next.renew()).toBe(true);
    expect(await next.store()).toBe(true);
  });
});
