import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { missingOperations, PUBLISHED_OPERATIONS } from '../../src/api/published-operations.ts';
import { expectBodyOf, isRefusal } from './check-answer.ts';
import { errorsOf, findReal, nameOf, type Real, type Row, rows } from './interface-data.ts';
import { sampleBody } from './sample-body.ts';
import { scenarios } from './scenarios.ts';
import { type Ask, startWorld, type World } from './world.ts';

/** Operations of the hosted API that the service does not have yet. */
const MISSING: string[] = [];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const real = rows.flatMap((row) => {
  const operation = findReal(row);
  return operation === null ? [] : [{ row, operation }];
});

test('the missing operations are exactly those listed here', () => {
  const missing = rows.filter((row) => findReal(row) === null).map(nameOf);
  process.stdout.write(`${real.length} of ${rows.length} operations are real. Missing:\n  ${missing.join('\n  ')}\n`);
  expect(missing).toEqual(MISSING);
});

test('responds with 501 to missing operations, including published ones that the document lacks', async () => {
  expect(PUBLISHED_OPERATIONS).toEqual(expect.arrayContaining(rows.map(nameOf)));
  const missing = missingOperations(operations);
  expect(missing.map(nameOf)).toEqual(expect.arrayContaining(MISSING));
  for (const { method, path } of missing) {
    const answer = await world.ask({ method, path: path.replaceAll(/\{\w+\}/g, '1') });
    expect([path, answer.status]).toEqual([path, 501]);
    expect(answer.text).toContain(`${method} ${path} is not implemented yet`);
  }
});

for (const { row, operation } of real) {
  test(`${nameOf(row)} accepts the query parameters and defaults of its row`, () => {
    const query: Record<string, { default?: unknown }> = operation.query.properties;
    expect(Object.keys(query)).toEqual(expect.arrayContaining(Object.keys(row.query)));
    for (const [name, { default: value }] of Object.entries(row.query)) {
      expect(query[name]?.default ?? '').toBe(value ?? '');
    }
  });
  test(`${nameOf(row)} declares only the statuses of its row and the deliberate additions`, () => {
    expect(Object.keys(errorsOf(row))).toEqual(expect.arrayContaining(Object.values(operation.refusals).map(String)));
    expect(operation.answerStatus ?? 200).toBe(row.success.status);
    expect(operation.auth === 'none').toBe(row.auth === 'none');
  });
  for (const status of [row.success.status, ...Object.keys(errorsOf(row)).map(Number)]) {
    test(`${nameOf(row)} responds with ${status}`, () => holdAgainst(row, { operation, status }));
  }
}

async function holdAgainst(row: Row, { operation, status }: { operation: Real; status: number }): Promise<void> {
  const request = await wordRequest(row, { operation, status });
  const before = await world.state();
  const send = () => world.ask({ key: world.properKey(operation), method: row.method, ...request });
  const answer = status === 500 ? await withoutTables(send) : await send();
  expect(answer.status, answer.text).toBe(status);
  expect(isRefusal(answer), answer.text).toBe(status >= 400);
  expectBodyOf(row, answer);
  if (status >= 400) expect(await world.state()).toEqual(before);
}

/**
 * Returns the request that provokes a status: a scenario of the operation itself, or one that works for all operations.
 */
async function wordRequest(
  row: Row,
  { operation, status }: { operation: Real; status: number },
): Promise<Omit<Ask, 'method'>> {
  const own = scenarios[nameOf(row)];
  const scenario = own?.[status];
  if (scenario !== undefined) return scenario(world);
  const body = sampleBody(operation, world);
  const plain = body === null ? {} : { body };
  switch (status) {
    case 401:
      return { path: await world.address(operation), key: null, ...plain };
    case 403:
      return { path: await world.address(operation), key: world.keys.readOnly, ...plain };
    case 404:
      return { path: await world.address(operation, 'unknown'), ...plain };
    case 500: {
      const success = own?.[row.success.status];
      if (success !== undefined) return success(world);
    }
  }
  throw new Error(`Add a scenario to scenarios.ts in which ${nameOf(row)} responds with ${status}.`);
}

/** Runs a function while all tables are renamed except those for key lookup. */
async function withoutTables<T>(run: () => Promise<T>): Promise<T> {
  const { db } = world.api.database;
  const tables = (await db.introspection.getTables())
    .map(({ name }) => name)
    .filter((name) => !/^(library|access_key|audit|kysely_)/.test(name));
  const rename = async (from: (name: string) => string, to: (name: string) => string) => {
    for (const name of tables)
      await sql`alter table ${sql.table(from(name))} rename to ${sql.id(to(name))}`.execute(db);
  };
  const faults = world.api.faults.length;
  await rename(
    (name) => name,
    (name) => `away_${name}`,
  );
  try {
    return await run();
  } finally {
    await rename(
      (name) => `away_${name}`,
      (name) => name,
    );
    await vi.waitFor(() => expect(world.api.faults.slice(faults).filter(isOfRequest)).toHaveLength(1), {
      timeout: 20_000,
    });
  }
}

/** Secondary faults, such as an audit line whose table is also missing, are logged separately. */
function isOfRequest(fault: unknown): boolean {
  return Object(fault).fields?.event === 'request.failed';
}
