import { parseArgs } from 'node:util';
import type { Db } from '../catalog/db.ts';
import { keepOrphans, type ListedOrphan, pageOrphans } from '../catalog/orphans/orphan-store.ts';
import { deleteOrphans } from '../jobs/store/drop-orphans.ts';
import { requireOwnStore } from '../jobs/store/store-guard.ts';
import { Refused } from '../lib/refused.ts';
import { type Opened, withStore } from './with-store.ts';

const DELETE_LIMIT_MS = 24 * 3_600_000;

/**
 * `millrace orphans list [PREFIX]`, `delete PREFIX`, `keep PREFIX`: lists, deletes or keeps the objects without a row
 * that the sweep found. A prefix is the beginning of a storage key, or the id of a staged upload. `--all` selects every
 * orphan.
 */
export async function orphans(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { all: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [verb, prefix = '', ...more] = positionals;
  if (more.length > 0) throw new Refused('invalid', `expected one prefix, got ${more.length + 1}.`);
  if (verb === 'list') return await withStore(({ database }) => list(database.db, prefix));
  if (verb !== 'delete' && verb !== 'keep') {
    throw new Refused('invalid', `expected list, delete or keep, got ${verb ?? 'nothing'}.`);
  }
  if ((prefix === '') !== values.all) {
    const got = values.all ? 'both' : 'neither';
    throw new Refused('invalid', `expected a prefix, or --all for every orphan, got ${got}.`);
  }
  if (verb === 'delete') return await withStore((opened) => remove(opened, prefix));
  return await withStore(async ({ database }) => {
    process.stdout.write(`${await keepOrphans(database.db, { prefix })} orphans are kept.\n`);
    return 0;
  });
}

async function list(db: Db, prefix: string): Promise<number> {
  let [count, bytes] = [0, 0];
  for await (const orphan of eachOrphan(db, prefix)) {
    const { kind, name, sizeBytes, modifiedAt, foundAt, keptAt } = orphan;
    const times = `${modifiedAt.toISOString()}  found ${foundAt.toISOString()}`;
    process.stdout.write(`${kind}  ${name}  ${sizeBytes} bytes  ${times}${keptAt === null ? '' : '  kept'}\n`);
    count += 1;
    bytes += sizeBytes;
  }
  process.stdout.write(`${count} orphans, ${bytes} bytes\n`);
  return 0;
}

/**
 * Deletes orphans immediately, regardless of their number and age. Objects that a row refers to in the meantime are
 * kept.
 */
async function remove({ database: { db }, storage }: Opened, prefix: string): Promise<number> {
  await requireOwnStore({ db, storage });
  const signal = AbortSignal.timeout(DELETE_LIMIT_MS);
  let deleted = 0;
  let page: ListedOrphan[] = [];
  const flush = async () => {
    deleted += await deleteOrphans(page, { db, storage }, signal);
    page = [];
  };
  for await (const orphan of eachOrphan(db, prefix)) {
    if (orphan.keptAt !== null) continue;
    page.push(orphan);
    if (page.length === 1000) await flush();
  }
  await flush();
  process.stdout.write(`${deleted} orphans were deleted.\n`);
  return 0;
}

async function* eachOrphan(db: Db, prefix: string): AsyncGenerator<ListedOrphan> {
  let after: ListedOrphan | null = null;
  for (;;) {
    const page: ListedOrphan[] = await pageOrphans(db, { prefix }, after);
    yield* page;
    after = page.at(-1) ?? null;
    if (after === null) return;
  }
}
