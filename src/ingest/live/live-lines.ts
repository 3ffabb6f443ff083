import type { MediaKey } from '../../catalog/db.ts';
import { type EventValues, logEvent } from '../../lib/log/log-event.ts';
import type { LivePublisher } from './live-publisher.ts';

/** Time without media after which a publisher counts as idle, in ms. */
const IDLE_MS = 5_000;

/** Returns the fields that identify a stream in the log. */
export function streamFields({ libraryId, mediaId: streamGuid }: MediaKey) {
  return { streamGuid, libraryId };
}

/** Logs that a publisher stopped sending media, or sends media again, once per change. */
export function logIdle(key: MediaKey, publisher: LivePublisher, nowMs: number): void {
  const change = publisher.noteIdle(nowMs, IDLE_MS);
  const { session, slot } = publisher;
  if (change !== null) logEvent(`publisher.${change}`, { ...streamFields(key), session, slot });
}

/** Logs that another publisher takes over the slot of a publisher. */
export function logTakenOver(key: MediaKey, { session, slot }: LivePublisher): void {
  logEvent('publisher.taken-over', { ...streamFields(key), session, slot });
}

/** Logs the end of a publisher with its totals. `line` has the fields that were logged when it connected. */
export function logEnd(
  line: EventValues<'publisher.connected'>,
  { receivedBytes: bytes, connectedMs }: LivePublisher,
  reason: string,
): void {
  logEvent('publisher.ended', { ...line, reason, bytes, durationSec: (Date.now() - connectedMs) / 1000 });
}
