import { createHmac, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Guid, guidOfBytes, parseGuid } from '../../../lib/guid.ts';

/** A ticket that a player page receives and sends back with each beacon. Heat is counted in buckets of `bucketSec`. */
export type ViewingTicket = {
  libraryId: number;
  mediaId: Guid;
  /** Delivery time of the page, by the edge's clock. */
  issuedAtMs: number;
  bucketSec: number;
  /** 0 for live streams, whose heat is not counted. */
  bucketCount: number;
  /** Unique to this page. Session ids derive from it, so that no client can choose one. */
  page: string;
};

/** Time for which a page may stay open and keep counting, in ms: three days. */
const VALID_MS = 72 * 3600_000;
/** Maximum difference between edges' clocks, in ms. */
const CLOCK_MS = 5_000;
const MAC_BYTES = 16;
const PAGE_BYTES = 12;
const TICKET =
  /^([1-9]\d{0,14})\.([0-9a-f-]{36})\.(\d{1,14})\.(\d{1,6})\.(\d{1,3})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22})$/;

/** Maximum buckets of a media item's heatmap: one per second, or fewer so that there are at most 600. */
export const MAX_BUCKETS = 600;

/** Returns the heat buckets for media of this length. */
export function bucketsOf(durationSec: number): { bucketSec: number; bucketCount: number } {
  const wholeSec = Math.ceil(durationSec);
  const bucketSec = Math.max(1, Math.ceil(wholeSec / MAX_BUCKETS));
  return { bucketSec, bucketCount: Math.ceil(wholeSec / bucketSec) };
}

/** Returns a random name that is unique to a page. */
export function newPageName(): string {
  return randomBytes(PAGE_BYTES).toString('base64url');
}

/**
 * Returns the id of a page's n-th session, from 0. A page cannot create two sessions with the same number, whatever it
 * sends.
 */
export function visitId({ page }: ViewingTicket, visit: number): Guid {
  return guidOfBytes(hash('sha256', `${page}/${visit}`, 'buffer'));
}

/** Writes a ticket: its fields in plain text and their HMAC-SHA256, truncated to 128 bits. */
export function writeTicket(ticket: ViewingTicket, secret: KeyObject): string {
  const { libraryId, mediaId, issuedAtMs, bucketSec, bucketCount, page } = ticket;
  const text = [libraryId, mediaId, issuedAtMs, bucketSec, bucketCount, page].join('.');
  return `${text}.${macOf(text, secret).toString('base64url')}`;
}

/** Reads a ticket. Returns null if it was not written by this installation, or is older than three days. */
export function readTicket(text: string, secrets: readonly KeyObject[], nowMs: number): ViewingTicket | null {
  const [, library, media = '', issued, bucketSec, bucketCount, page = '', mac = ''] = TICKET.exec(text) ?? [];
  const mediaId = parseGuid(media);
  if (mediaId === null) return null;
  const shown = Buffer.from(mac, 'base64url');
  const signed = text.slice(0, text.length - mac.length - 1);
  if (shown.length !== MAC_BYTES) return null;
  if (!secrets.some((secret) => timingSafeEqual(shown, macOf(signed, secret)))) return null;
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
