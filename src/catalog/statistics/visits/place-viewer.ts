import { createSecretKey, type KeyObject } from 'node:crypto';
import { type SketchPoint, sketchPoint } from '../sums/viewer-sketch.ts';

/** A viewer's identity, kept only for the length of one call. */
export type Viewer = { libraryId: number; address: string; userAgent: string };

/**
 * Returns a viewer's point in the sketch of the day in which a session began, or null if the day's salt is not loaded.
 */
export type PlaceViewer = (viewer: Viewer, startMs: number) => SketchPoint | null;

const DAY_MS = 24 * 3600_000;
const KEPT_DAYS = 3;
const RETRY_MS = 10_000;

/**
 * Returns a function that places viewers with the salts of the last days. Each salt is loaded once, after the first
 * call that needs it: no beacon waits, and the session's next beacon is placed. `load` returns null for a day whose
 * salt is deleted.
 */
export function createPlaceViewer(
  load: (dayMs: number) => Promise<Uint8Array | null>,
  onError: (error: unknown) => void,
): PlaceViewer {
  const salts = new Map<number, KeyObject | null>();
  const begun = new Map<number, number>();
  const fetchSalt = (dayMs: number, nowMs: number) => {
    if (nowMs - (begun.get(dayMs) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return;
    begun.set(dayMs, nowMs);
    load(dayMs).then((salt) => {
      salts.set(dayMs, salt && createSecretKey(salt));
      for (const day of salts.keys()) {
        if (day >= dayMs - KEPT_DAYS * DAY_MS) continue;
        salts.delete(day);
        begun.delete(day);
      }
    }, onError);
  };
  return ({ libraryId, address, userAgent }, startMs) => {
    const dayMs = Math.floor(startMs / DAY_MS) * DAY_MS;
    const salt = salts.get(dayMs);
    if (salt === undefined) fetchSalt(dayMs, performance.now());
    return salt === undefined || salt === null ? null : sketchPoint(salt, `${libraryId}\n${address}\n${userAgent}`);
  };
}
