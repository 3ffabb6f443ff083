import type { PlayerState } from '../../src/delivery/player/player-state.ts';
import { openStorage } from './base/memory.ts';
import type { KeptLedger } from './visit-ledger.ts';

/** Data for the beacons that the server wrote into the page. */
export type Viewing = PlayerState['viewing'];

/**
 * A session stored by a previous page of this tab. `movedMs` is the time at which its frames last advanced, in ms since
 * the ticket was issued.
 */
export type KeptVisit = { ticket: string; visit: number; sequence: number; movedMs: number; ledger: KeptLedger };

export const IDLE_MS = 30 * 60_000;
const HOUR_MS = 3600_000;
/**
 * Age of a ticket after which a reloaded page uses its own ticket, in ms, because tickets are valid for only 72 hours.
 */
const TAKEN_WITHIN_MS = 12 * HOUR_MS;
/** Time for which the edge accepts a ticket, in ms. */
const VALID_MS = 72 * HOUR_MS;
const MAX_RUNGS = 12;

/** Stores a session for the next page of this tab on the same video, until the tab is closed. */
export function keepVisit(visit: KeptVisit): void {
  try {
    openStorage('sessionStorage')?.setItem(nameOf(visit.ticket), JSON.stringify(visit));
  } catch (error) {
    // The storage is full. It keeps its content, and the next page begins a new session.
    if (!(error instanceof DOMException)) throw error;
  }
}

/**
 * Returns the session of the same video that the previous page stored, or null if there is none or it has ended.
 * Removes it from the storage, because browsers copy the storage to a duplicate of the tab, which is a separate
 * session.
 */
export function takeVisit(viewing: Viewing, sincePageMs: number): KeptVisit | null {
  const storage = openStorage('sessionStorage');
  const name = nameOf(viewing.ticket);
  const text = storage?.getItem(name) ?? null;
  storage?.removeItem(name);
  const kept = text === null ? null : parse(text);
  if (!isVisit(kept) || !isSameLength(kept.ticket, viewing.ticket)) return null;
  const sinceTicketMs = sincePageMs + issuedAtMs(viewing.ticket) - issuedAtMs(kept.ticket);
  return sinceTicketMs >= 0 && sinceTicketMs <= TAKEN_WITHIN_MS && sinceTicketMs - kept.movedMs <= IDLE_MS
    ? kept
    : null;
}

export function issuedAtMs(ticket: string): number {
  return Number(ticket.split('.')[2]);
}

function nameOf(ticket: string): string {
  const [libraryId, mediaId] = ticket.split('.');
  return `millrace:${libraryId}:visit:${mediaId}`;
}

/**
 * Returns whether the heatmap is counted for a ticket. It is not counted for media without an end or without a known
 * length.
 */
export function countsHeat(ticket: string): boolean {
  return ticket.split('.')[4] !== '0';
}

/**
 * Whether two tickets are for the same file. A different length means a replaced file, but media without a length may
 * have received one.
 */
function isSameLength(before: string, now: string): boolean {
  return !countsHeat(before) || bucketsOf(before) === bucketsOf(now);
}

function bucketsOf(ticket: string): string {
  return ticket.split('.').slice(3, 5).join('.');
}

/** Whether a stored value is a session. It is checked because other scripts of the origin can write to the storage. */
function isVisit(value: unknown): value is KeptVisit {
  if (!isObject(value) || !isObject(value.ledger) || !isObject(value.ledger.counts)) return false;
  const { ticket, visit, sequence, movedMs } = value;
  const { startedMs, watchedMs, heat, rungMs } = value.ledger;
  const { startupMs, stallCount, stallMs, failures } = value.ledger.counts;
  return (
    typeof ticket === 'string' &&
    [visit, sequence, stallCount, failures].every(Number.isSafeInteger) &&
    [visit, sequence, movedMs, startedMs, startupMs ?? 0, stallCount, stallMs, failures].every(isTime) &&
    isListOf(watchedMs, VALID_MS / HOUR_MS + 1, isTime) &&
    isListOf(heat, 1_000, isTime) &&
    isListOf(rungMs, MAX_RUNGS, (pair) => isListOf(pair, 2, isTime) && pair.length === 2)
  );
}

/** Returns whether a value is a time in ms within the validity of a ticket. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= VALID_MS;
}

function isListOf(value: unknown, most: number, isItem: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.length <= most && value.every(isItem);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
