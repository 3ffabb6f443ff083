import { createHash } from 'node:crypto';
import { type AccessUnit, type TrackConfig, VIDEO_TIMESCALE } from '../tracks/access-unit.ts';
import { AudioPackager } from './audio-packager.ts';
import { MediaClock } from './media-clock.ts';
import type { LivePart, LiveSegment } from './part-writer.ts';
import { type ShownFrame, VideoPackager } from './video-packager.ts';

/** The tracks of a period; at least one is there. */
export type PeriodTracks = {
  video: TrackConfig | null;
  audio: TrackConfig | null;
  /** How far apart keyframes are at most by the encoder's own settings; left out where they are not known. */
  longestGopSec?: number;
  /** Bits a second of its pictures as they began; left out, or 0, where they were not measured. */
  videoBps?: number;
};

/** Where a period goes on: 0 and 0 for a new one. */
export type PeriodPlace = { segment: number; endMs: number };

export type PackagedEvent =
  /** A segment begins, at this time on the timeline. */
  | { type: 'cut'; segment: number; mediaMs: number }
  | { type: 'part'; part: LivePart }
  | { type: 'segment'; segment: LiveSegment }
  /** A picture came; after the cut that it begins. */
  | { type: 'frame'; frame: ShownFrame }
  /** The pictures end here for now, ticks of `VIDEO_TIMESCALE`. */
  | { type: 'end'; tick: number };

/** Without pictures segments are so long. */
const AUDIO_SEGMENT_MS = 2_000;

/** Says whether frames of two publishers can stand in one rendition: equal texts can. */
export function parametersOf({ video, audio }: PeriodTracks): string {
  const hash = createHash('sha256');
  for (const track of [video, audio]) hash.update(track === null ? '-' : track.sampleEntry).update('|');
  return hash.digest('hex');
}

/**
 * Packages what one publisher sends into a period, from its first keyframe to its end. A publisher that comes back with
 * the same parameters goes on with the same packager: call `end` and then push on.
 */
export class StreamPackager {
  readonly #video: VideoPackager | null;
  readonly #audio: AudioPackager | null;
  #clock: MediaClock | null = null;
  #segment: number;
  #nextCutMs = 0;

  constructor(tracks: PeriodTracks, place: PeriodPlace) {
    const startTick = Math.round((place.endMs * VIDEO_TIMESCALE) / 1000);
    this.#video =
      tracks.video === null
        ? null
        : new VideoPackager(tracks.video, { segment: place.segment, startTick }, tracks.longestGopSec);
    this.#audio = tracks.audio === null ? null : new AudioPackager(tracks.audio, place.segment);
    this.#segment = place.segment;
    this.#endMs = place.endMs;
  }

  #endMs: number;

  /** Takes the next frame of either track; what comes before the first keyframe is left out. */
  push(unit: AccessUnit): { mediaMs: number; events: PackagedEvent[] } | null {
    if (this.#clock === null) {
      if (this.#video !== null && !(unit.kind === 'video' && unit.isKey)) return null;
      this.#clock = new MediaClock(this.#endMs);
      this.#nextCutMs = this.#endMs;
    }
    const mediaMs = this.#clock.place(unit);
    if (unit.kind === 'video') return { mediaMs, events: this.#pushVideo(unit, mediaMs) };
    return { mediaMs, events: this.#pushAudio(unit, mediaMs) };
  }

  /** Ends the open parts and segments. */
  end(): PackagedEvent[] {
    if (this.#clock === null) return [];
    const events: PackagedEvent[] = [];
    let endMs = this.#endMs;
    if (this.#video !== null) {
      const { ended, segment } = this.#video.end();
      events.push(...partEvents(ended), ...segmentEvents(segment === null ? [] : [segment]));
      events.push({ type: 'end', tick: this.#video.endTick });
      // Pictures go on without a hole; audio that reached further is not repeated.
      endMs = (this.#video.endTick * 1000) / VIDEO_TIMESCALE;
      this.#segment = this.#video.segment;
    }
    if (this.#audio !== null) {
      const next = this.#video === null ? this.#audio.segment + 1 : this.#segment;
      const { ended, segments } = this.#audio.end(next);
      events.push(...partEvents(ended), ...segmentEvents(segments));
      if (this.#video === null) endMs = this.#audio.endMs;
      this.#segment = next;
    }
    this.#endMs = endMs;
    this.#clock = null;
    return events;
  }

  #pushVideo(unit: AccessUnit, mediaMs: number): PackagedEvent[] {
    if (this.#video === null) return [];
    const { ended, segment, cut, shown: frame } = this.#video.push(unit, mediaMs);
    const events = [...partEvents(ended), ...segmentEvents(segment === null ? [] : [segment])];
    if (cut === null) return [...events, { type: 'frame', frame }];
    const cutMs = (cut.tick * 1000) / VIDEO_TIMESCALE;
    this.#audio?.cutAt(cutMs);
    return [...events, { type: 'cut', segment: cut.segment, mediaMs: cutMs }, { type: 'frame', frame }];
  }

  #pushAudio(unit: AccessUnit, mediaMs: number): PackagedEvent[] {
    if (this.#audio === null) return [];
    const events: PackagedEvent[] = [];
    const isCut = this.#video === null && mediaMs >= this.#nextCutMs;
    if (isCut) {
      this.#audio.cutAt(mediaMs);
      this.#nextCutMs = mediaMs + AUDIO_SEGMENT_MS;
    }
    const { ended, segments } = this.#audio.push(unit, mediaMs);
    events.push(...partEvents(ended), ...segmentEvents(segments));
    if (isCut) events.push({ type: 'cut', segment: this.#audio.segment, mediaMs });
    return events;
  }
}

function partEvents(parts: readonly LivePart[]): PackagedEvent[] {
  return parts.map((part) => ({ type: 'part', part }));
}

function segmentEvents(segments: readonly LiveSegment[]): PackagedEvent[] {
  return segments.map((segment) => ({ type: 'segment', segment }));
}
