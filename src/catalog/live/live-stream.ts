import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { unreachable } from '../../lib/unreachable.ts';

/** States of a stream. `api/` maps them to the numbers of the hosted API. */
export type LiveState = 'created' | 'scheduled' | 'preview' | 'running' | 'ended' | 'vod-processing' | 'error';

/** Measurement of one second of media as received. Bitrates are in bits per second. */
export type BitrateSample = { atMs: number; bitrateBps: number; videoBps: number; audioBps: number; fps: number };

/**
 * Encoding of a stream's rungs below the source. `reason` explains why they are not encoded, or which media is not
 * shown. Rungs are numbers: 720 is 720p. `none`: no smaller rung is enabled. `idle`: there is no publisher.
 * `refused`: none is connected, and the last one was refused or disconnected by this service, or left while not all of
 * its media was shown.
 */
export type LadderState = {
  kind: 'none' | 'starting' | 'running' | 'copy-only' | 'idle' | 'refused';
  reason: string | null;
  rungs: readonly number[];
};

/** A relay to another server. `reason` is a human-readable error. Null if the relay works. */
export type RelayState = { host: string; state: 'connecting' | 'running' | 'failed'; reason: string | null };

/** A relay as the owner sent it: a URL, or an object. The API returns it in the same format. */
export type RelayRequest = string | { endpoint: string | null; streamKey: string | null };

/** Fields of a stream that its owner may write. */
export type LiveSettings = {
  title: string;
  description: string | null;
  category: string | null;
  collectionId: Guid | null;
  isPublic: boolean;
  scheduledStartAt: Date | null;
  scheduledEndAt: Date | null;
  dvrEnabled: boolean;
  /** Number of seconds by which viewers can seek back, 1 to 43200. Null only while `dvrEnabled` is false. */
  dvrWindowSec: number | null;
  recordVod: boolean;
  countdownEnabled: boolean | null;
  relays: readonly RelayRequest[] | null;
  trailerVideoId: string | null;
};

/** A change by the owner. Absent fields are left unchanged. */
export type LiveEdit = Partial<LiveSettings>;

/** A live stream. Its fields depend on its state. */
export type LiveStream = { libraryId: number; id: Guid } & LiveSettings &
  (
    | { state: 'created' | 'scheduled' | 'preview' }
    | { state: 'running'; startedAt: Date }
    | { state: 'vod-processing'; startedAt: Date; endedAt: Date }
    | { state: 'ended'; startedAt: Date | null; endedAt: Date }
    | { state: 'error'; startedAt: Date | null; endedAt: Date; reason: string }
  );

/** Time after the end of a stream within which a recording can be requested, in ms. */
export const RECORD_LATE_MS = 24 * 3600 * 1000;

/**
 * Applies an edit. After the start, throws `Refused` (`invalid`) for all changes except to the title and description,
 * and to `recordVod`, which can be set to true until 24 h after the end. Fields with equal values do not count as
 * changes.
 */
export function editStream(stream: LiveStream, edit: LiveEdit, now: Date): LiveStream {
  if (isBeforeStart(stream)) {
    const edited = { ...stream, ...edit };
    if (stream.state === 'preview') return edited;
    return { ...edited, state: edited.scheduledStartAt === null ? 'created' : 'scheduled' };
  }
  const frozen = frozenFields(stream, edit, now);
  if (frozen.length > 0) {
    throw new Refused(
      'invalid',
      `Cannot change ${frozen.join(', ')} after the stream has started. Create another stream.`,
    );
  }
  const { title = stream.title, description = stream.description, recordVod = stream.recordVod } = edit;
  const written = { title, description, recordVod };
  if (stream.state === 'ended' && stream.startedAt !== null && !keepsRecording(stream) && recordVod) {
    // Media of a stream is kept for a day, so a recording can still be created from it.
    return { ...stream, ...written, state: 'vod-processing', startedAt: stream.startedAt };
  }
  return { ...stream, ...written };
}

/** Returns the fields of an edit that can no longer be changed on this stream. */
export function frozenFields(stream: LiveStream, edit: LiveEdit, now: Date): (keyof LiveEdit)[] {
  if (isBeforeStart(stream)) return [];
  // An edit only has the keys that its type contains.
  return (Object.entries(edit) as [keyof LiveEdit, unknown][])
    .filter(([field, value]) => {
      if (field === 'title' || field === 'description') return false;
      if (sameValue(Reflect.get(stream, field), value)) return false;
      return !(field === 'recordVod' && value === true && canStillRecord(stream, now));
    })
    .map(([field]) => field);
}

/** Opens the stream to viewers. Idempotent; throws `Refused` (`invalid`) after the end. */
export function startStream(stream: LiveStream, now: Date): LiveStream {
  switch (stream.state) {
    case 'created':
    case 'scheduled':
    case 'preview':
      return { ...stream, state: 'running', startedAt: now };
    case 'running':
      return stream;
    case 'vod-processing':
    case 'ended':
    case 'error':
      throw new Refused('invalid', 'The stream has ended and cannot start again. Create another one.');
    default:
      return unreachable(stream);
  }
}

/**
 * Changes the stream's state for an accepted publisher: it enters preview, or runs if its scheduled start has passed.
 * Throws `Refused` (`invalid`) after the end.
 */
export function publishStream(stream: LiveStream, now: Date): LiveStream {
  switch (stream.state) {
    case 'created':
    case 'scheduled':
    case 'preview': {
      const isDue = stream.scheduledStartAt !== null && stream.scheduledStartAt <= now;
      if (isDue) return startStream(stream, now);
      return stream.state === 'preview' ? stream : { ...stream, state: 'preview' };
    }
    case 'running':
      return stream;
    case 'vod-processing':
    case 'ended':
    case 'error':
      throw new Refused('invalid', 'The stream has ended, so its key is no longer accepted. Create another one.');
    default:
      return unreachable(stream);
  }
}

/** Ends a stream permanently. A stream with a recording then waits for its video. Idempotent. */
export function stopStream(stream: LiveStream, now: Date): LiveStream {
  switch (stream.state) {
    case 'created':
    case 'scheduled':
    case 'preview':
      return { ...stream, state: 'ended', startedAt: null, endedAt: now };
    case 'running':
      return { ...stream, state: keepsRecording(stream) ? 'vod-processing' : 'ended', endedAt: now };
    case 'vod-processing':
    case 'ended':
    case 'error':
      return stream;
    default:
      return unreachable(stream);
  }
}

/**
 * Throws `Refused` (`invalid`) for a stream whose recording is being turned into a video, because it cannot be removed.
 */
export function requireRemovable({ state }: LiveStream): void {
  if (state !== 'vod-processing') return;
  throw new Refused(
    'invalid',
    'The recording of this stream is being turned into a video. Try again in a few seconds.',
  );
}

/** Returns whether this stream becomes a video when it ends. */
export function keepsRecording({ dvrEnabled, recordVod }: LiveSettings): boolean {
  return dvrEnabled || recordVod;
}

/**
 * Returns whether a change turns on the recording of a stream that may already have media. Before the first publisher
 * is accepted, there is no media to record.
 */
export function beginsRecording(before: LiveStream, after: LiveStream): boolean {
  if (before.state === 'created' || before.state === 'scheduled') return false;
  return !keepsRecording(before) && keepsRecording(after);
}

/** Returns whether the stream has not started for viewers. */
export function isBeforeStart<Stream extends { state: LiveState }>(
  stream: Stream,
): stream is Stream & { state: 'created' | 'scheduled' | 'preview' } {
  return stream.state === 'created' || stream.state === 'scheduled' || stream.state === 'preview';
}

function canStillRecord(stream: LiveStream, now: Date): boolean {
  if (stream.state === 'running') return true;
  return 'endedAt' in stream && now.getTime() - stream.endedAt.getTime() < RECORD_LATE_MS;
}

function sameValue(before: unknown, after: unknown): boolean {
  return JSON.stringify(before ?? null) === JSON.stringify(after ?? null);
}
