import { type Guid, parseGuid } from '../../lib/guid.ts';
import type { Installation } from './installation-store.ts';

/**
 * Content of a store's identity object: the installation that the store belongs to, and the last state of its database
 * that wrote to the store.
 */
export type Mark = { installation: Guid; sequence: number };

/** The mark found in one store. `unknown`: the identity object cannot be parsed. */
export type FoundMark = { location: string } & (
  | { state: 'marked'; mark: Mark }
  | { state: 'unknown' | 'unmarked' | 'empty' }
  | { state: 'unreachable'; reason: string }
);

/** Verdict on whether objects may be deleted, with the reason if not. */
export type StoreVerdict =
  | { kind: 'ours' }
  /** Empty stores that must be marked first. */
  | { kind: 'new'; locations: readonly string[] }
  | { kind: 'ahead'; sequence: number; location: string }
  | { kind: 'refused'; reason: string };

const ADOPT =
  'Correct MILLRACE_DATABASE_URL or MILLRACE_STORAGE, or run "millrace store adopt" if they belong together.';

/** Parses a mark. Returns null if the text is not a mark. */
export function parseMark(text: string): Mark | null {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // Text that is not JSON is not a mark. The object is not overwritten, and nothing is deleted in that store.
    return null;
  }
  const { installation, sequence }: { installation?: unknown; sequence?: unknown } = Object(found);
  const id = typeof installation === 'string' ? parseGuid(installation) : null;
  return id !== null && Number.isSafeInteger(sequence) ? { installation: id, sequence: Number(sequence) } : null;
}

/** Formats a mark, with a human-readable note. */
export function formatMark({ installation, sequence }: Mark): string {
  const note = 'Written by Millrace. It ties this store to its database: keep it, and never copy it elsewhere.';
  return `${JSON.stringify({ installation, sequence, note })}\n`;
}

/**
 * Compares stores with their database: each must have the mark of this installation, and none may have a later state
 * than the database. An active hold refuses deletions until it expires.
 */
export function judgeStores(ours: Installation, stores: readonly FoundMark[]): StoreVerdict {
  for (const store of stores) {
    const reason = describeFault(ours, store);
    if (reason !== null) return { kind: 'refused', reason: `${reason} Nothing is deleted.` };
  }
  const known = Math.max(ours.sequence, ours.heldSequence ?? 0);
  for (const store of stores) {
    if (store.state === 'marked' && store.mark.sequence > known) {
      return { kind: 'ahead', sequence: store.mark.sequence, location: store.location };
    }
  }
  if (ours.heldUntil !== null) return { kind: 'refused', reason: describeHold(ours.heldUntil) };
  const locations = stores.filter(({ state }) => state === 'empty').map(({ location }) => location);
  if (locations.length === 0) return { kind: 'ours' };
  if (locations.length === stores.length && ours.sequence > 0) {
    const named = locations.join(' and ');
    const reason = `The store ${named} is empty, but the database has used one: it may not be mounted. ${ADOPT}`;
    return { kind: 'refused', reason: `${reason} Nothing is deleted.` };
  }
  return { kind: 'new', locations };
}

function describeFault(ours: Installation, store: FoundMark): string | null {
  switch (store.state) {
    case 'marked':
      if (store.mark.installation === ours.id) return null;
      return (
        `The store ${store.location} belongs to the installation ${store.mark.installation}, the database is of ` +
        `${ours.id}. ${ADOPT}`
      );
    case 'unknown':
      return (
        `The store ${store.location} has a mark that cannot be read, the database is of installation ${ours.id}. ` +
        `${ADOPT}`
      );
    case 'unmarked':
      return (
        `The store ${store.location} holds objects but no mark of the database, which is of installation ${ours.id}. ` +
        `${ADOPT}`
      );
    case 'unreachable':
      return `The store ${store.location} could not be checked (${store.reason}).`;
    case 'empty':
      return null;
  }
}

function describeHold(until: Date): string {
  return (
    'The database is older than its store, as a restored backup is: nothing is deleted until ' +
    `${until.toISOString()}. "millrace orphans list" shows what it does not name.`
  );
}
