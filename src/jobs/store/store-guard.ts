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

/** Deletions within this time of a check need no further one. */
const FRESH_MS = 10_000;
/** The most often that the state of the database is written into the store. */
const ADVANCE_EVERY_MS = 10_000;
const CHECK_EVERY_MS = 30_000;
const CHECK_LIMIT_MS = 15_000;
const CLOSE_LIMIT_MS = 2_000;

/** The database and the store do not belong together, or that cannot be said now: nothing may be deleted. */
export class StoreNotOurs extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'StoreNotOurs';
  }
}

export type GuardDeps = {
  db: Db;
  storage: Pick<Storage, 'marks'>;
  /** How long nothing is deleted after a store was found to have seen a later state of the database. */
  quarantineSec: number;
  /** A new reason why nothing may be deleted; null when it ended. Called at each change. */
  report: (reason: string | null) => void;
};

/** Keeps one process from deleting anything in a store that is not its database's. The caller closes it. */
export type StoreGuard = {
  /** Throws `StoreNotOurs` unless the store was found to be ours within the last 10 s; `isFresh` looks in any case. */
  requireOurs(options?: { isFresh: boolean }): Promise<void>;
  /** Resolves after the first check: written before it, objects in a new store would look like another's. */
  checked(): Promise<void>;
  /** Why nothing may be deleted, as it was found last; null when all may be. */
  problem(): string | null;
  /** Objects were written: the store's mark follows soon, so that an older database is recognised. */
  noteWrite(): void;
  close(): Promise<void>;
};

/** Checks the store at once and every half minute, without anybody waiting for it. */
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

  /** What is written in the pause between is counted at its end. */
  async function advance(): Promise<void> {
    // What fails here is found and reported by the next check.
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

/** Refuses (`forbidden`) unless the store is this database's now. */
export async function requireOwnStore({ db, storage }: Pick<GuardDeps, 'db' | 'storage'>): Promise<void> {
  const verdict = await judge({ db, storage });
  if (verdict.kind === 'ours') return;
  throw new Refused('forbidden', verdict.kind === 'refused' ? verdict.reason : 'The store was not checked before.');
}

/** Makes this database's mark that of all its stores, whatever they say. Answers the places. */
export async function adoptStores({ db, storage }: Pick<GuardDeps, 'db' | 'storage'>): Promise<string[]> {
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  const found = await Promise.all(storage.marks.map((mark) => findMark(mark, signal)));
  const away = found.find(({ state }) => state === 'unreachable');
  if (away?.state === 'unreachable') {
    throw new Refused('unavailable', `The store ${away.place} cannot be reached: ${away.reason}.`);
  }
  const seen = found.map((store) => (store.state === 'marked' ? store.mark.sequence : 0));
  const { id, sequence } = await passSequence(db, Math.max(...seen));
  const text = formatMark({ installation: id, sequence });
  for (const mark of storage.marks) await mark.write(text, { ifAbsent: false }, signal);
  return found.map(({ place }) => place);
}

/** Checks, and does what the verdict needs: marks empty stores, begins to hold deletions back. */
async function findProblem(deps: GuardDeps): Promise<string | null> {
  try {
    let verdict = await judge(deps);
    if (verdict.kind === 'new') {
      await markNew(deps, verdict.places);
      verdict = await judge(deps);
    }
    if (verdict.kind === 'ahead') {
      await holdDeletions(deps.db, { sequence: verdict.sequence, holdSec: deps.quarantineSec });
      verdict = await judge(deps);
    }
    if (verdict.kind === 'ours') return null;
    return verdict.kind === 'refused' ? verdict.reason : `The store's mark changes all the time. Nothing is deleted.`;
  } catch (error) {
    return `The store could not be checked. Nothing is deleted. ${describe(error)}`;
  }
}

async function judge({ db, storage }: Pick<GuardDeps, 'db' | 'storage'>): Promise<StoreVerdict> {
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  // The marks first: what they say was committed before, so the row that is read next has it.
  const found = await Promise.all(storage.marks.map((mark) => findMark(mark, signal)));
  return judgeStores(await loadInstallation(db), found);
}

async function findMark(mark: StoreMark, signal: AbortSignal): Promise<FoundMark> {
  const { place } = mark;
  try {
    const text = await mark.read(signal);
    if (text === null) return { place, state: (await mark.isEmpty(signal)) ? 'empty' : 'unmarked' };
    const parsed = parseMark(text);
    return parsed === null ? { place, state: 'unknown' } : { place, state: 'marked', mark: parsed };
  } catch (error) {
    return { place, state: 'unreachable', reason: describe(error) };
  }
}

/** Of two databases that find the same empty store at once, one marks it. */
async function markNew({ db, storage }: GuardDeps, places: readonly string[]): Promise<void> {
  // The sequence stays: roles that start at once would take an advanced one for a sign that the store was used before.
  const ours = await loadInstallation(db);
  const text = formatMark({ installation: ours.id, sequence: ours.sequence });
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  for (const mark of storage.marks.filter(({ place }) => places.includes(place))) {
    await mark.write(text, { ifAbsent: true }, signal).catch((error: unknown) => {
      if (!(error instanceof Refused && error.kind === 'conflict')) throw error;
    });
  }
}

/** The database's state goes first: a mark is never ahead of the database that wrote it. Others' marks stay. */
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
