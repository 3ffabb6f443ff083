import { sql } from 'kysely';
import { createSecretBox, type SecretBox, WrongSecretKey } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns-store.ts';

/** Rows that one statement seals again. */
const BATCH_ROWS = 500;

/** Counts of a pass. `unreadable`: values that neither key opens, by column. They stay as they are. */
export type Resealed = { resealed: number; unreadable: ReadonlyMap<string, number> };

type Keys = { oldKey: Uint8Array; newKey: Uint8Array };

/**
 * Seals every stored secret that only the old key opens with the new key. Changes rows in batches, and each row only if
 * nobody else changed its value in the meantime, so that processes continue to work and an interrupted pass can be
 * repeated. The next pass finds rows that moved during this one.
 */
export async function resealAll(
  db: Db,
  { oldKey, newKey }: Keys,
  columns: readonly SealedColumn[] = SEALED_COLUMNS,
): Promise<Resealed> {
  const boxes = { old: createSecretBox(oldKey), fresh: createSecretBox(newKey) };
  const unreadable = new Map<string, number>();
  let resealed = 0;
  for (const column of columns) {
    const found = await resealColumn(db, column, boxes);
    resealed += found.resealed;
    if (found.unreadable > 0) unreadable.set(`${column.table}.${column.column}`, found.unreadable);
  }
  return { resealed, unreadable };
}

type Boxes = { old: SecretBox; fresh: SecretBox };
type Row = { place: string; sealed: Buffer };

async function resealColumn(
  db: Db,
  column: SealedColumn,
  boxes: Boxes,
): Promise<{ resealed: number; unreadable: number }> {
  let resealed = 0;
  let unreadable = 0;
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
      if (changes.length > 0) resealed += await writeChanges(db, column, changes);
    }
  });
  return { resealed, unreadable };
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
