import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../catalog/db.ts';
import {
  advanceSequence,
  holdDeletions,
  loadInstallation,
  passSequence,
} from '../../catalog/installation/installation-store.ts';
import {
  type FoundMark,
  formatMark,
  judgeStores,
  parseMark,
  type StoreVerdict,
} from '../../catalog/installation/store-verdict.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage, StoreMark } from '../../ports/storage.ts';

/** Time after a check in which deletions need no further check, in ms. */
const FRESH_MS = 10_000;
/** Minimum interval between writes of the database's state to the store, in ms. */
const ADVANCE_EVERY_MS = 10_000;
const CHECK_EVERY_MS = 30_000;
const CHECK_LIMIT_MS = 15_000;
const CLOSE_LIMIT_MS = 2_000;

/**
 * Thrown if the database and the store do not belong together, or if this is currently unknown. Nothing may be deleted.
 */
export class StoreNotOurs extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'StoreNotOurs';
  }
}

export type GuardDeps = {
  db: Db;
  storage: Pick<Storage, 'marks'>;
  /**
   * Time in seconds without deletions after it was found that the store had been used with a later state of the
   * database.
   */
  quarantineSec: number;
  /** Called at each change with the reason why nothing may be deleted, or null when deletions are allowed again. */
  report: (reason: string | null) => void;
};

/** Prevents one process from deleting in a store that does not belong to its database. The caller closes it. */
export type StoreGuard = {
  /**
   * Throws `StoreNotOurs` unless a check within the last 10 s found that the store belongs to this database. `isFresh`
   * always checks again.
   */
  requireOurs(options?: { isFresh: boolean }): Promise<void>;
  /**
   * Resolves after the first check. Objects written before that would make a new store look as if it belonged to
   * another database.
   */
  checked(): Promise<void>;
  /** Returns the current reason why nothing may be deleted, or null if deletions are allowed. */
  problem(): string | null;
  /**
   * Records that objects were written. The mark in the store is then updated, so that an older copy of the database is
   * detected.
   */
  noteWrite(): void;
  close(): Promise<void>;
};

/** Checks the store in the background, immediately and every half minute. */
export function openStoreGuard(deps: GuardDeps): StoreGuard {
  let problem: string | null = null;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  let advancing: Promise<void> | null = null;
  let pause: { timer: NodeJS.Timeout; end: () => void } | null = null;
  let hasMore = false;
  let isClosed = false;

  async function check(): Promise<void> {
    const found = await findProblem(deps);
    checkedAtMs = performance.now();
    if (found !== problem && !isClosed) deps.report(found);
    problem = found;
  }

  function checkOnce(): Promise<void> {
    checking ??= check().finally(() => {
      checking = null;
    });
    return checking;
  }

  /** Updates the marks. Writes during the pause cause another update after it. */
  async function advance(): Promise<void> {
    // The next check detects and reports any failure.
    if (problem === null) await writeMarks(deps).catch(() => undefined);
    if (isClosed) return;
    await new Promise<void>((resolve) => {
      pause = { timer: setTimeout(resolve, ADVANCE_EVERY_MS).unref(), end: resolve };
    });
    pause = null;
  }
  function noteWrite(): void {
    if (isClosed) return;
    hasMore = advancing !== null;
    advancing ??= advance().finally(() => {
      advancing = null;
      if (hasMore) noteWrite();
    });
  }

  const timer = setInterval(() => void checkOnce(), CHECK_EVERY_MS).unref();
  const first = checkOnce();
  return {
    checked: () => first,
    async requireOurs(options = { isFresh: false }) {
      if (options.isFresh || performance.now() - checkedAtMs > FRESH_MS) await checkOnce();
      if (problem !== null) throw new StoreNotOurs(problem);
    },
    problem: () => problem,
    noteWrite,
    async close() {
      isClosed = true;
      const isBehind = hasMore && problem === null;
      hasMore = false;
      clearInterval(timer);
      if (pause !== null) {
        clearTimeout(pause.timer);
        pause.end();
      }
      await Promise.all([checking, advancing]);
      if (isBehind) await Promise.race([writeMarks(deps).catch(() => undefined), sleep(CLOSE_LIMIT_MS)]);
    },
  };
}

/** Throws `Refused` (`forbidden`) unless the store currently belongs to this database. */
export async function requireOwnStore({ db, storage }: Pick<GuardDeps, 'db' | 'storage'>): Promise<void> {
  const verdict = await judge({ db, storage });
  if (verdict.kind === 'ours') return;
  throw new Refused('forbidden', verdict.kind === 'refused' ? verdict.reason : 'The store has not been checked yet.');
}

/**
 * Returns why the store does not belong to this database, or null if it does, or if the store is new. Changes nothing.
 */
export async function describeForeignStore(deps: Pick<GuardDeps, 'db' | 'storage'>): Promise<string | null> {
  const verdict = await judge(deps);
  return verdict.kind === 'refused' ? verdict.reason : null;
}

/** Writes this database's mark to all its stores, whatever they contain. Returns the locations. */
export async function adoptStores({ db, storage }: Pick<GuardDeps, 'db' | 'storage'>): Promise<string[]> {
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  const found = await Promise.all(storage.marks.map((mark) => findMark(mark, signal)));
  const away = found.find(({ state }) => state === 'unreachable');
  if (away?.state === 'unreachable') {
    throw new Refused('unavailable', `The store ${away.location} cannot be reached: ${away.reason}.`);
  }
  const seen = found.map((store) => (store.state === 'marked' ? store.mark.sequence : 0));
  const { id, sequence } = await passSequence(db, Math.max(...seen));
  const text = formatMark({ installation: id, sequence });
  for (const mark of storage.marks) await mark.write(text, { ifAbsent: false }, signal);
  return found.map(({ location }) => location);
}

/**
 * Checks the stores and acts on the result: marks empty stores, and starts the time without deletions if necessary.
 * Returns the reason why nothing may be deleted, or null.
 */
async function findProblem(deps: GuardDeps): Promise<string | null> {
  try {
    let verdict = await judge(deps);
    if (verdict.kind === 'new') {
      await markNew(deps, verdict.locations);
      verdict = await judge(deps);
    }
    if (verdict.kind === 'ahead') {
      await holdDeletions(deps.db, { sequence: verdict.sequence, holdSec: deps.quarantineSec });
      verdict = await judge(deps);
    }
    if (verdict.kind === 'ours') return null;
    return verdict.kind === 'refused'
      ? verdict.reason
      : `The mark in the store changes constantly. Nothing is deleted. Check whether another database uses the store.`;
  } catch (error) {
    return `The store could not be checked. Nothing is deleted. ${describe(error)}`;
  }
}

async function judge({ db, storage }: Pick<GuardDeps, 'db' | 'storage'>): Promise<StoreVerdict> {
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  // Reads the marks first. The database committed their content before it was written, so the row that is read next is
  // at least as new.
  const found = await Promise.all(storage.marks.map((mark) => findMark(mark, signal)));
  return judgeStores(await loadInstallation(db), found);
}

async function findMark(mark: StoreMark, signal: AbortSignal): Promise<FoundMark> {
  const { location } = mark;
  try {
    const text = await mark.read(signal);
    if (text === null) return { location, state: (await mark.isEmpty(signal)) ? 'empty' : 'unmarked' };
    const parsed = parseMark(text);
    return parsed === null ? { location, state: 'unknown' } : { location, state: 'marked', mark: parsed };
  } catch (error) {
    return { location, state: 'unreachable', reason: describe(error) };
  }
}

/** If two databases find the same empty store concurrently, only one of them marks it. */
async function markNew({ db, storage }: GuardDeps, locations: readonly string[]): Promise<void> {
  // Keeps the sequence number. To a role that starts at the same time, a higher number would mean that the store was
  // used before.
  const ours = await loadInstallation(db);
  const text = formatMark({ installation: ours.id, sequence: ours.sequence });
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  for (const mark of storage.marks.filter(({ location }) => locations.includes(location))) {
    await mark.write(text, { ifAbsent: true }, signal).catch((error: unknown) => {
      if (!(error instanceof Refused && error.kind === 'conflict')) throw error;
    });
  }
}

/**
 * Updates the marks. Writes the database row first, so that a mark is never ahead of its database. Does not change
 * marks of other databases.
 */
async function writeMarks(deps: GuardDeps): Promise<void> {
  const { db, storage } = deps;
  const { kind } = await judge(deps);
  const ours = kind === 'ours' ? await advanceSequence(db) : null;
  if (ours === null) return;
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  const text = formatMark({ installation: ours.id, sequence: ours.sequence });
  for (const mark of storage.marks) await mark.write(text, { ifAbsent: false }, signal);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
