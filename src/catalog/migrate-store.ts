import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { hasCode } from '../lib/has-code.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { Refused } from '../lib/refused.ts';
import { isAtLeast, readVersion } from '../lib/version.ts';
import type { Db } from './db.ts';
import { migrations, type SchemaStep } from './migrations/all.ts';

/** A migration that was applied to a database. `oldestVersion` and `appliedBy` are null if no version recorded them. */
export type AppliedStep = { name: string; oldestVersion: string | null; appliedBy: string | null };

const known: Readonly<Record<string, SchemaStep>> = migrations;
const BASELINE = Object.keys(migrations)[0] ?? '';

/** SQLSTATE undefined_table. */
const NO_TABLE = '42P01';
/** SQLSTATE lock_not_available: a lock was not free within the limit. */
const LOCK_TIMEOUT = '55P03';
/** SQLSTATE deadlock_detected. */
const DEADLOCK = '40P01';
/**
 * Time that a migration waits for a table lock. All queries of running roles wait behind it, so it gives up before they
 * do and tries again.
 */
const LOCK_TIME = '2s';
const LOCK_PAUSE_MS = 1_000;
/** Maximum attempts, about half an hour. Another process may be migrating all this time. */
const MAX_LOCK_TRIES = 600;

/**
 * Brings the schema up to date under an advisory lock, so that several machines may start simultaneously. Migrations
 * of a newer version stay if this version works with them. All steps are one transaction: if one fails, or the process
 * is killed, none is applied. `only` restricts it to the named migrations. Throws `Refused` (`invalid`) for a schema
 * that this version cannot use.
 */
export async function migrate(db: Db, only: readonly string[] | null = null): Promise<void> {
  requireOwn(only ?? []);
  // Check this before Kysely creates its own tables.
  requireCompatible(await readAppliedSteps(db));
  for (let tries = 1; ; tries += 1) {
    const error = await migrateOnce(db, only);
    if (error === undefined) return;
    if (error instanceof Refused) throw error;
    const isBusy = hasCode(error, LOCK_TIMEOUT) || hasCode(error, DEADLOCK);
    if (!isBusy || tries >= MAX_LOCK_TRIES) throw new Error('Could not migrate the database.', { cause: error });
    if (tries % 15 === 1) logEvent('migration.waiting', { err: error });
    await sleep(LOCK_PAUSE_MS);
  }
}

/**
 * Returns whether the database has a schema, without changing it. Throws `Refused` (`invalid`) like `migrate` for one
 * that this version cannot use.
 */
export async function hasKnownSchema(db: Db): Promise<boolean> {
  const applied = await readAppliedSteps(db);
  requireCompatible(applied);
  return applied.length > 0;
}

/** Returns the migrations of this version that a database lacks, in order. */
export function pendingSteps(applied: readonly AppliedStep[]): { name: string; oldestVersion: string }[] {
  const names = new Set(applied.map(({ name }) => name));
  return Object.entries(known).flatMap(([name, { oldestVersion }]) =>
    names.has(name) ? [] : [{ name, oldestVersion }],
  );
}

/** Returns the reason why this version must not work on the schema as it is now, or null if it may. */
export async function findSchemaFault(db: Db): Promise<string | null> {
  const applied = await readAppliedSteps(db);
  const fault = incompatibility(applied);
  if (fault !== null) return fault;
  const [pending] = pendingSteps(applied);
  if (pending === undefined) return null;
  return (
    `Expected a database with all migrations of version ${readVersion()}, got one without ${pending.name}. ` +
    'It may come from an older backup. Start this process again, which migrates it.'
  );
}

/** Returns the migrations that a database has, in order. */
export async function readAppliedSteps(db: Db): Promise<AppliedStep[]> {
  try {
    const { rows } = await sql<AppliedStep>`
      select m.name, c.oldest_version as "oldestVersion", c.applied_by as "appliedBy"
      from kysely_migration m left join schema_compatibility c on c.name = m.name order by m.name`.execute(db);
    return rows;
  } catch (error) {
    if (!hasCode(error, NO_TABLE)) throw error;
    return await readUnstatedSteps(db);
  }
}

/** Returns the migrations of a database that is empty or does not record oldest versions yet. */
async function readUnstatedSteps(db: Db): Promise<AppliedStep[]> {
  const found = sql<{ name: string | null }>`select to_regclass('kysely_migration')::text as name`;
  if ((await found.execute(db)).rows[0]?.name === null) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => ({ name, oldestVersion: null, appliedBy: null }));
}

/** Returns the error of a failed attempt; undefined if the schema is up to date. */
async function migrateOnce(db: Db, only: readonly string[] | null): Promise<unknown> {
  const durationsMs = new Map<string, number>();
  // It is called under the lock. A newer version may have migrated while this process waited for it.
  const getMigrations = async () => {
    const applied = await readAppliedSteps(db);
    requireCompatible(applied);
    return { ...newerSteps(applied), ...ownSteps(only, durationsMs) };
  };
  const migrator = new Migrator({ db, provider: { getMigrations }, allowUnorderedMigrations: true });
  const { error, results = [] } = await migrator.migrateToLatest();
  for (const { status, migrationName: name } of error === undefined ? results : []) {
    if (status === 'Success') logEvent('migration.applied', { name, durationMs: durationsMs.get(name) });
  }
  return error;
}

/** Returns the migrations of this version. Each adds the time that it took to `durationsMs`. */
function ownSteps(only: readonly string[] | null, durationsMs: Map<string, number>): Record<string, Migration> {
  const chosen = Object.entries(known).filter(([name]) => only?.includes(name) ?? true);
  const apply = async (db: Kysely<unknown>, name: string, step: SchemaStep) => {
    const startedMs = performance.now();
    await applyStep(db, name, step);
    durationsMs.set(name, performance.now() - startedMs);
  };
  return Object.fromEntries(chosen.map(([name, step]) => [name, { up: (db) => apply(db, name, step) }]));
}

/** Returns entries for the migrations of a newer version, which are applied and never run here. */
function newerSteps(applied: readonly AppliedStep[]): Record<string, Migration> {
  const newer = applied.filter(({ name }) => !Object.hasOwn(known, name));
  const rejectStep = (name: string) => async () => {
    throw new Error(`Expected a migration of this version, got ${name}.`);
  };
  return Object.fromEntries(newer.map(({ name }) => [name, { up: rejectStep(name) }]));
}

async function applyStep(db: Kysely<unknown>, name: string, { up, oldestVersion }: SchemaStep): Promise<void> {
  await sql`select set_config('lock_timeout', ${LOCK_TIME}, true)`.execute(db);
  await up(db);
  const { rows } = await sql<{
    found: string | null;
  }>`select to_regclass('schema_compatibility')::text as found`.execute(db);
  // The migration that creates the table records the earlier ones.
  if (rows[0]?.found === null) return;
  await sql`
    insert into schema_compatibility (name, oldest_version, applied_by)
    values (${name}, ${oldestVersion}, ${readVersion()})`.execute(db);
}

/** Throws if a list has migrations of another version. */
function requireOwn(names: readonly string[]): void {
  requireCompatible(names.map((name) => ({ name, oldestVersion: null, appliedBy: null })));
}

function requireCompatible(applied: readonly AppliedStep[]): void {
  const fault = incompatibility(applied);
  if (fault !== null) throw new Refused('invalid', fault);
}

/** Returns the reason why this version cannot work with these migrations, or null if it can. */
function incompatibility(applied: readonly AppliedStep[]): string | null {
  const version = readVersion();
  const unknown = applied.filter(({ name }) => !Object.hasOwn(known, name));
  if (unknown.length > 0 && !applied.some(({ name }) => name === BASELINE)) {
    return (
      'Expected a database of version 0.1.0 or newer, got one of an earlier development version, which cannot be ' +
      'upgraded. Start with a new data folder (MILLRACE_DATA_DIR) and upload the originals again.'
    );
  }
  const unstated = unknown.filter(({ oldestVersion }) => oldestVersion === null).map(({ name }) => name);
  if (unstated.length > 0) {
    return (
      `Expected a database of this version or an older one, got one with ${unstated.join(', ')} of a newer version. ` +
      'Start that version or a newer one.'
    );
  }
  for (const { name, oldestVersion, appliedBy } of applied) {
    if (oldestVersion === null || isAtLeast(version, oldestVersion) === true) continue;
    return (
      `Expected version ${oldestVersion} or newer for this database, got ${version}. ` +
      `Version ${appliedBy ?? 'unknown'} applied migration ${name}. Start that version or a newer one.`
    );
  }
  return null;
}
