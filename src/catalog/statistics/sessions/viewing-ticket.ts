import { createHmac, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Guid, guidOfBytes, parseGuid } from '../../../lib/guid.ts';

/**
 * What a player page is handed with its page, and sends back with each beacon. Heat is counted in buckets of
 * `bucketSec`.
 */
export type ViewingTicket = {
  libraryId: number;
  mediaId: Guid;
  /** When the page was handed out, by the edge's clock. */
  issuedAtMs: number;
  bucketSec: number;
  /** 0 for media without an end, whose heat is not counted. */
  bucketCount: number;
  /** Of this page alone: its visits' ids come from it, so that no client chooses one. */
  page: string;
};

/** A page may stay open and go on counting for three days. */
const VALID_MS = 72 * 3600_000;
/** Edges' clocks may differ by this much. */
const CLOCK_MS = 5_000;
const MAC_BYTES = 16;
const PAGE_BYTES = 12;
const TICKET =
  /^([1-9]\d{0,14})\.([0-9a-f-]{36})\.(\d{1,14})\.(\d{1,6})\.(\d{1,3})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22})$/;

/** Buckets of a media's heatmap: a second each, or as many as give 600 at most. */
export const MAX_BUCKETS = 600;

/** How the heat of a media of this length is counted. */
export function bucketsOf(durationSec: number): { bucketSec: number; bucketCount: number } {
  const wholeSec = Math.ceil(durationSec);
  const bucketSec = Math.max(1, Math.ceil(wholeSec / MAX_BUCKETS));
  return { bucketSec, bucketCount: Math.ceil(wholeSec / bucketSec) };
}

/** What distinguishes a page from all others. */
export function newPageName(): string {
  return randomBytes(PAGE_BYTES).toString('base64url');
}

/** The id of a page's n-th visit, from 0 on: one page makes no two sessions of the same visit, whatever it sends. */
export function visitId({ page }: ViewingTicket, visit: number): Guid {
  return guidOfBytes(hash('sha256', `${page}/${visit}`, 'buffer'));
}

/** Writes a ticket: its fields in the clear and an HMAC-SHA256 of them, cut to 128 bits. */
export function writeTicket(ticket: ViewingTicket, secret: KeyObject): string {
  const { libraryId, mediaId, issuedAtMs, bucketSec, bucketCount, page } = ticket;
  const text = [libraryId, mediaId, issuedAtMs, bucketSec, bucketCount, page].join('.');
  return `${text}.${macOf(text, secret).toString('base64url')}`;
}

/** Reads a ticket; null for one that this installation did not write, or that is older than three days. */
export function readTicket(text: string, secret: KeyObject, nowMs: number): ViewingTicket | null {
  const [, library, media = '', issued, bucketSec, bucketCount, page = '', mac = ''] = TICKET.exec(text) ?? [];
  const mediaId = parseGuid(media);
  if (mediaId === null) return null;
  const shown = Buffer.from(mac, 'base64url');
  const signed = text.slice(0, text.length - mac.length - 1);
  if (shown.length !== MAC_BYTES || !timingSafeEqual(shown, macOf(signed, secret))) return null;
  const issuedAtMs = Number(issued);
  if (issuedAtMs > nowMs + CLOCK_MS || issuedAtMs < nowMs - VALID_MS) return null;
  return {
    libraryId: Number(library),
    mediaId,
    issuedAtMs,
    bucketSec: Number(bucketSec),
    bucketCount: Number(bucketCount),
    page,
  };
}

function macOf(text: string, secret: KeyObject): Buffer {
  return createHmac('sha256', secret).update(text).digest().subarray(0, MAC_BYTES);
}
