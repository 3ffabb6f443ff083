import type { LiveEdit, LiveSettings, RelayRequest } from '../../catalog/live/live-stream.ts';
import { readGuid } from '../../lib/guid.ts';
import type { CreateLiveStreamModel, RtmpOutput, UpdateLiveStreamModel } from '../models/live-stream.ts';

type Sent = CreateLiveStreamModel & UpdateLiveStreamModel;

const MAX_TITLE_CHARS = 1_000;
/** Maximum number of relays: five URLs in the older field, or four outputs in the newer one. */
const MAX_RELAY_URLS = 5;
const MAX_RELAY_OUTPUTS = 4;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const UNNAMED = 'Live stream';

/** Returns the errors in the body of a new stream that its schema cannot express. */
export function checkNewStream(sent: Readonly<Record<string, unknown>>): string[] {
  const needsWindow = sent.dvrEnabled === true && sent.dvrWindowSeconds == null;
  return [
    ...checkStream(sent),
    ...(needsWindow ? ['dvrWindowSeconds is required with dvrEnabled: send 1 to 43200 seconds'] : []),
  ];
}

/** Returns the errors in a change to a stream that its schema cannot express. */
export function checkStream(sent: Readonly<Record<string, unknown>>): string[] {
  const { title, collectionId, preStreamTrailerVideoId, scheduledStartTime, scheduledEndTime, rtmpOutputs } = sent;
  const faults: string[] = [];
  if (typeof title === 'string' && title.trim() === '') faults.push('title must not be empty');
  if (typeof title === 'string' && title.length > MAX_TITLE_CHARS)
    faults.push(`title must have at most ${MAX_TITLE_CHARS} characters`);
  if (isText(collectionId) && readGuid(collectionId) === null)
    faults.push('collectionId must be the GUID of a collection');
  if (isText(preStreamTrailerVideoId) && readGuid(preStreamTrailerVideoId) === null) {
    faults.push('preStreamTrailerVideoId must be the GUID of a video');
  }
  for (const [name, value] of Object.entries({ scheduledStartTime, scheduledEndTime })) {
    if (isText(value) && readTime(value) === null)
      faults.push(`${name} must be a date and time, such as 2026-11-22T18:00:00Z`);
  }
  const [from, to] = [scheduledStartTime, scheduledEndTime].map((value) => (isText(value) ? readTime(value) : null));
  if (from && to && to <= from) faults.push('scheduledEndTime must be after scheduledStartTime');
  if (Array.isArray(rtmpOutputs)) faults.push(...checkRelays(rtmpOutputs));
  return faults;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function checkRelays(relays: readonly unknown[]): string[] {
  const isOlder = relays.every((relay) => typeof relay === 'string');
  const most = isOlder ? MAX_RELAY_URLS : MAX_RELAY_OUTPUTS;
  const faults = relays.length > most ? [`rtmpOutputs must have at most ${most} entries, got ${relays.length}`] : [];
  for (const [index, relay] of relays.entries()) {
    const address = typeof relay === 'string' ? relay : (Object(relay).endpoint ?? '');
    if (isRelayAddress(address)) continue;
    faults.push(`rtmpOutputs[${index}] must be a URL that begins with rtmp:// or rtmps://`);
  }
  return faults;
}

function isRelayAddress(address: unknown): boolean {
  return typeof address === 'string' && /^rtmps?:\/\//i.test(address) && URL.canParse(address);
}

/** Returns the settings of a new stream. Absent fields have their defaults. The body must be checked already. */
export function toNewSettings(sent: CreateLiveStreamModel): LiveSettings {
  return {
    ...{ title: UNNAMED, description: null, category: null, collectionId: null, isPublic: true },
    ...{ scheduledStartAt: null, scheduledEndAt: null, dvrEnabled: false, dvrWindowSec: null, recordVod: false },
    ...{ countdownEnabled: null, relays: null, trailerVideoId: null },
    ...toEdit(sent),
  };
}

/** Names in the API of the stream settings that have a different name in the code. */
export const WIRE_NAMES: Readonly<Partial<Record<keyof LiveEdit, keyof Sent>>> = {
  dvrWindowSec: 'dvrWindowSeconds',
  scheduledStartAt: 'scheduledStartTime',
  scheduledEndAt: 'scheduledEndTime',
  isPublic: 'public',
  countdownEnabled: 'enableCountdown',
  relays: 'rtmpOutputs',
  trailerVideoId: 'preStreamTrailerVideoId',
};

/**
 * Returns the change that a body requests. Absent fields are left unchanged, as are null fields if null has no meaning.
 */
export function toEdit(sent: Sent): LiveEdit {
  return {
    ...(sent.title != null && { title: sent.title }),
    ...(sent.description !== undefined && { description: sent.description }),
    ...(sent.collectionId !== undefined && { collectionId: readGuid(sent.collectionId ?? '') }),
    ...(sent.dvrEnabled !== undefined && { dvrEnabled: sent.dvrEnabled }),
    ...(sent.dvrWindowSeconds != null && { dvrWindowSec: sent.dvrWindowSeconds }),
    ...(sent.recordVod !== undefined && { recordVod: sent.recordVod }),
    ...(sent.scheduledStartTime !== undefined && { scheduledStartAt: readTime(sent.scheduledStartTime ?? '') }),
    ...(sent.scheduledEndTime !== undefined && { scheduledEndAt: readTime(sent.scheduledEndTime ?? '') }),
    ...(sent.public !== undefined && { isPublic: sent.public }),
    ...(sent.enableCountdown !== undefined && { countdownEnabled: sent.enableCountdown }),
    ...(sent.rtmpOutputs !== undefined && { relays: sent.rtmpOutputs?.map(toRelay) ?? null }),
    ...(sent.preStreamTrailerVideoId !== undefined && { trailerVideoId: readGuid(sent.preStreamTrailerVideoId ?? '') }),
  };
}

function toRelay(sent: string | RtmpOutput): RelayRequest {
  return typeof sent === 'string' ? sent : { endpoint: sent.endpoint ?? null, streamKey: sent.streamKey ?? null };
}

/** Parses a time; without a zone it is UTC. Returns null for an absent or invalid one. */
function readTime(text: string): Date | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const isLocal = match[1] === undefined && text.trim().length > 10;
  const time = new Date(isLocal ? `${text.trim()}Z` : text.trim());
  return Number.isNaN(time.getTime()) ? null : time;
}
