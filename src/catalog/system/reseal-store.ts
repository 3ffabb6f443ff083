import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import { createSecretBox, type SecretBox, WrongSecretKey } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns-store.ts';

/** Rows that one statement seals again. */
const BATCH_ROWS = 500;
/** Maximum passes over the stored secrets. Only rows that change during a pass need another one. */
const MAX_PASSES = 20;

/**
 * Counts of a pass. `pending`: values that only the old key opened when they were read. `resealed`: those that were
 * sealed again, and not changed by others in between. `unreadable`: values that neither key opens, by column. They stay
 * as they are.
 */
export type Resealed = { pending: number; resealed: number; unreadable: ReadonlyMap<string, number> };

type Keys = { oldKey: Uint8Array; newKey: Uint8Array };

/**
 * Seals all stored secrets with the new key, until a pass finds none that only the old key opens. Throws `Refused`
 * (`unavailable`) if secrets change faster than that.
 */
export async function resealUntilNone(
  db: Db,
  keys: Keys,
  columns: readonly SealedColumn[] = SEALED_COLUMNS,
): Promise<Omit<Resealed, 'pending'>> {
  let resealed = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = await resealAll(db, keys, columns);
    resealed += found.resealed;
    if (found.pending === 0) return { resealed, unreadable: found.unreadable };
  }
  throw new Refused('unavailable', 'Secrets still change faster than they are sealed. Run the command again.');
}

/**
 * Reseals with the new key every stored secret that only the old key opens. Writes in small batches, each row only if
 * its value has not changed in the meantime, so that processes continue to work and an interrupted pass can be
 * repeated. The next pass finds rows that changed during this one, so only a pass without pending values shows that
 * none is left.
 */
export async function resealAll(db: Db, { oldKey, newKey }: Keys, columns: readonly SealedColumn[]): Promise<Resealed> {
  const boxes = { old: createSecretBox(oldKey), fresh: createSecretBox(newKey) };
  const unreadable = new Map<string, number>();
  let [pending, resealed] = [0, 0];
  for (const column of columns) {
    const found = await resealColumn(db, column, boxes);
    pending += found.pending;
    resealed += found.resealed;
    if (found.unreadable > 0) unreadable.set(`${column.table}.${column.column}`, found.unreadable);
  }
  return { pending, resealed, unreadable };
}

type Boxes = { old: SecretBox; fresh: SecretBox };
type Row = { place: string; sealed: Buffer };

async function resealColumn(
  db: Db,
  column: SealedColumn,
  boxes: Boxes,
): Promise<{ pending: number; resealed: number; unreadable: number }> {
  let [pending, resealed, unreadable] = [0, 0, 0];
  // A cursor reads each row once, without sorting. Its transaction holds no locks that others wait for.
  await db.transaction().execute(async (reading) => {
    await sql`declare sealed_values no scroll cursor for
      select t.ctid::text as place, ${column.read} as sealed from ${sql.table(column.table)} as t
      where ${column.read} is not null`.execute(reading);
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(BATCH_ROWS)} from sealed_values`.execute(reading);
      if (rows.length === 0) return;
      const changes = rows.flatMap((row) => {
        const fresh = resealOne(row.sealed, boxes);
        if (fresh === 'unreadable') unreadable += 1;
        return fresh instanceof Buffer ? [{ ...row, fresh }] : [];
      });
      pending += changes.length;
      if (changes.length > 0) resealed += await writeChanges(db, column, changes);
    }
  });
  return { pending, resealed, unreadable };
}

/** Returns the value sealed with the new key, or why it stays as it is. */
function resealOne(sealed: Buffer, { old, fresh }: Boxes): Buffer | 'fresh' | 'unreadable' {
  if (opens(fresh, sealed) !== null) return 'fresh';
  const plain = opens(old, sealed);
  return plain === null ? 'unreadable' : fresh.seal(plain);
}

function opens(box: SecretBox, sealed: Buffer): string | null {
  try {
    return box.open(sealed);
  } catch (error) {
    if (error instanceof WrongSecretKey || sealed[0] !== 1) return null;
    throw error;
  }
}

async function writeChanges(db: Db, column: SealedColumn, rows: readonly (Row & { fresh: Buffer })[]): Promise<number> {
  const places = rows.map(({ place }) => place);
  const [before, after] = [rows.map(({ sealed }) => sealed), rows.map(({ fresh }) => fresh)];
  const { numAffectedRows } = await sql`
    update ${sql.table(column.table)} as t set ${column.write(sql`v.fresh`)}
    from unnest(${places}::tid[], ${before}::bytea[], ${after}::bytea[]) as v(place, sealed, fresh)
    where t.ctid = v.place and ${column.read} = v.sealed`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
