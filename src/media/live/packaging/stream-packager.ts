import { createHash } from 'node:crypto';
import { metrics } from '../../../lib/metrics/metrics.ts';
import { type AccessUnit, type TrackConfig, VIDEO_TIMESCALE } from '../tracks/access-unit.ts';
import { type AudioOutput, AudioPackager } from './audio-packager.ts';
import { GapWatch } from './gap-watch.ts';
import { MediaClock } from './media-clock.ts';
import type { LivePart, LiveSegment } from './part-writer.ts';
import { type ShownFrame, type ShownOutput, VideoPackager } from './video-packager.ts';

/** Tracks of a period, at least one. */
export type PeriodTracks = {
  video: TrackConfig | null;
  audio: TrackConfig | null;
  /** Maximum keyframe interval in the encoder's settings, in seconds. Omitted if unknown. */
  longestGopSec?: number;
  /** Initial bit rate of the video, in bits per second. Omitted or 0 if not measured. */
  videoBps?: number;
};

/**
 * Segment number and timeline position at which a period continues. Both fields are 0 for a new period. `still`:
 * keyframe with the parameters of the video, which is repeated until the first one arrives.
 */
export type PeriodPosition = { segment: number; endMs: number; still?: Buffer | null };

export type PackagedEvent =
  /** A segment begins at this time on the timeline. */
  | { type: 'cut'; segment: number; mediaMs: number }
  | { type: 'part'; part: LivePart }
  | { type: 'segment'; segment: LiveSegment }
  /** A video frame, after the cut that it begins. */
  | { type: 'frame'; frame: ShownFrame }
  /** The video pauses or ends here, in ticks of `VIDEO_TIMESCALE`. */
  | { type: 'end'; tick: number };

/** Segment duration without video, in ms. */
const AUDIO_SEGMENT_MS = 2_000;
/**
 * Delay behind the other track up to which a missing track is filled, in ms, because its next frames may be slightly
 * late.
 */
const FILL_BEHIND_MS = 50;
/**
 * Delay up to which a missing track is filled after a gap of both tracks, in ms, while frames that refer to lost frames
 * are dropped. It is longer so that late audio is kept.
 */
const DROPPED_BEHIND_MS = 400;

/** Video that precedes audio without video, in ms, so that a segment begins. */
const ALONE_MS = 250;

/**
 * Interval at which a repeated keyframe is passed on as a frame, in ticks of `VIDEO_TIMESCALE`. A decoder and a rung
 * each hold a frame until the next one, and players of parts would run out of media.
 */
const REPEAT_TICKS = VIDEO_TIMESCALE / 16;

/**
 * Version of the fragment format. Increase it if fragments change in a way that does not fit an older init segment. A
 * new period then begins.
 */
const FORM = '2';

/** Returns a fingerprint of the tracks' parameters. Publishers with equal fingerprints can share a rendition. */
export function parametersOf({ video, audio }: PeriodTracks): string {
  const hash = createHash('sha256').update(FORM);
  for (const track of [video, audio]) hash.update(track === null ? '-' : track.sampleEntry).update('|');
  return hash.digest('hex');
}

/**
 * Packages one publisher's media into a period, from its first keyframe to its end. If a publisher reconnects with the
 * same parameters, call `end` and continue to push to the same packager.
 */
export class StreamPackager {
  readonly #video: VideoPackager | null;
  readonly #audio: AudioPackager | null;
  #clock: MediaClock | null = null;
  #segment: number;
  #nextCutMs = 0;
  #watches = watchesFrom(0);
  /** Newest frame of each track, in ms on the timeline. */
  #newestMs: Record<AccessUnit['kind'], number> = { video: 0, audio: 0 };

  constructor(tracks: PeriodTracks, place: PeriodPosition) {
    const startTick = Math.round((place.endMs * VIDEO_TIMESCALE) / 1000);
    this.#video =
      tracks.video === null ? null : new VideoPackager(tracks.video, { ...place, startTick }, tracks.longestGopSec);
    this.#audio = tracks.audio === null ? null : new AudioPackager(tracks.audio, place.segment);
    this.#segment = place.segment;
    this.#endMs = place.endMs;
  }

  #endMs: number;

  /** Returns the last keyframe, or null if there is none. */
  readonly lastKey = (): Buffer | null => this.#video?.lastKey() ?? null;

  /**
   * Adds the next frame of either track. Drops frames before the first keyframe. While the other track is missing,
   * fills it up to this frame: audio with silence, video with the last keyframe. `isAlone`: the publisher sends no
   * video, so its audio starts alone if an earlier publisher sent a keyframe.
   */
  push(unit: AccessUnit, isAlone = false): { mediaMs: number; events: PackagedEvent[] } | null {
    const isStart = this.#clock === null;
    const clock = this.#clock ?? this.#start(unit, isAlone);
    if (clock === null) return null;
    const begun = isStart && isAlone ? this.#fill('video', this.#endMs + ALONE_MS) : [];
    const mediaMs = clock.place(unit);
    if (mediaMs === null) {
      metrics.liveDropped.inc({ reason: 'rewound' });
      return null;
    }
    const shownMs = mediaMs + unit.ptsMs - unit.dtsMs;
    const other = unit.kind === 'video' ? 'audio' : 'video';
    // Use the decode time, because frames that are shown before this one may follow.
    const filled = unit.kind === 'video' ? this.#fillBefore(mediaMs) : begun;
    const added = unit.kind === 'video' ? this.#pushVideo(unit, mediaMs) : this.#pushAudio(unit, mediaMs);
    const events = [...filled, ...(added ?? [])];
    if (added !== null) {
      this.#watches[unit.kind].came(shownMs, this.#newestMs[other]);
      this.#newestMs[unit.kind] = Math.max(this.#newestMs[unit.kind], shownMs);
    }
    const isStill = other === 'video' && this.#video?.isStill === true;
    const behindMs = added === null ? DROPPED_BEHIND_MS : FILL_BEHIND_MS;
    if (this.#watches[other].isMissing(shownMs, isStill)) events.push(...this.#fill(other, shownMs - behindMs));
    return { mediaMs, events };
  }

  /** Ends the open parts and segments. */
  end(): PackagedEvent[] {
    if (this.#clock === null) return [];
    const events: PackagedEvent[] = [];
    let endMs = this.#endMs;
    if (this.#video !== null) {
      const { ended, segment } = this.#video.end(this.#newestMs.audio);
      events.push(...partEvents(ended), ...segmentEvents(segment === null ? [] : [segment]));
      events.push({ type: 'end', tick: this.#video.endTick });
      // Video continues without a gap. Audio that extends past the end of the video is not repeated.
      endMs = (this.#video.endTick * 1000) / VIDEO_TIMESCALE;
      this.#segment = this.#video.segment;
    }
    if (this.#audio !== null) {
      // Players tolerate a gap of one frame, and the audio of the next period may begin up to a frame late.
      if (this.#video !== null) events.push(...audioEvents(this.#audio.fillTo(endMs, true)));
      const next = this.#video === null ? this.#audio.segment + 1 : this.#segment;
      events.push(...audioEvents(this.#audio.end(next)));
      if (this.#video === null) endMs = this.#audio.endMs;
      this.#segment = next;
    }
    this.#endMs = endMs;
    this.#clock = null;
    return events;
  }

  /** Starts a run of frames at the first keyframe. Returns null before that. */
  #start(unit: AccessUnit, isAlone: boolean): MediaClock | null {
    if (this.#video !== null && !isAlone && !(unit.kind === 'video' && unit.isKey)) {
      metrics.liveDropped.inc({ reason: 'before-keyframe' });
      return null;
    }
    this.#clock = new MediaClock(this.#endMs);
    this.#nextCutMs = this.#endMs;
    this.#watches = watchesFrom(this.#endMs);
    this.#newestMs = { video: this.#endMs, audio: this.#endMs };
    return this.#clock;
  }

  /**
   * Fills a gap of both tracks if the video continues first. Frames that refer to lost frames are dropped in that case.
   */
  #fillBefore(untilMs: number): PackagedEvent[] {
    const isMissing = this.#audio !== null && this.#watches.video.isMissing(untilMs, this.#video?.isStill);
    return isMissing ? this.#fill('video', untilMs) : [];
  }

  #fill(kind: AccessUnit['kind'], untilMs: number): PackagedEvent[] {
    if (kind === 'audio') return this.#audio === null ? [] : audioEvents(this.#audio.fillTo(untilMs));
    return this.#video?.hold(untilMs).flatMap((output) => this.#videoEvents(output)) ?? [];
  }

  /** Packages a video frame. Returns null if it is dropped. */
  #pushVideo(unit: AccessUnit, mediaMs: number): PackagedEvent[] | null {
    const output = this.#video?.push(unit, mediaMs) ?? null;
    if (output === null) metrics.liveDropped.inc({ reason: 'after-gap' });
    return output === null ? null : this.#videoEvents(output);
  }

  #videoEvents({ ended, segment, cut, shown: frame, held }: ShownOutput): PackagedEvent[] {
    const events = [...partEvents(ended), ...segmentEvents(segment === null ? [] : [segment])];
    const heldTicks = held.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
    const frames = Array.from(
      { length: Math.max(1, Math.floor(heldTicks / REPEAT_TICKS)) },
      (_, index): PackagedEvent => {
        // Rungs need a keyframe only where a segment begins. Other repetitions cost them almost nothing.
        const isKey = frame.isKey && (held.length === 0 || (cut !== null && index === 0));
        return { type: 'frame', frame: { ...frame, isKey, shownTick: frame.shownTick + index * REPEAT_TICKS } };
      },
    );
    if (cut === null) return [...events, ...frames, ...partEvents(held)];
    const cutMs = (cut.tick * 1000) / VIDEO_TIMESCALE;
    this.#audio?.cutAt(cutMs);
    return [...events, { type: 'cut', segment: cut.segment, mediaMs: cutMs }, ...frames, ...partEvents(held)];
  }

  #pushAudio(unit: AccessUnit, mediaMs: number): PackagedEvent[] {
    if (this.#audio === null) return [];
    const events: PackagedEvent[] = [];
    while (this.#video === null && mediaMs >= this.#nextCutMs) events.push(...this.#cutAudio(this.#audio, mediaMs));
    return [...events, ...audioEvents(this.#audio.push(unit, mediaMs))];
  }

  /** Starts a segment of a stream without video: at the frame, or within a gap before it. */
  #cutAudio(audio: AudioPackager, mediaMs: number): PackagedEvent[] {
    const isGap = mediaMs - this.#nextCutMs > AUDIO_SEGMENT_MS / 4;
    const cutMs = isGap ? this.#nextCutMs : mediaMs;
    const segment = audio.cutAt(cutMs);
    this.#nextCutMs = cutMs + AUDIO_SEGMENT_MS;
    const events = isGap ? audioEvents(audio.fillTo(Math.min(this.#nextCutMs, mediaMs))) : [];
    return [...events, { type: 'cut', segment, mediaMs: cutMs }];
  }
}

function watchesFrom(startMs: number): Record<AccessUnit['kind'], GapWatch> {
  return { video: new GapWatch('video', startMs), audio: new GapWatch('audio', startMs) };
}

function audioEvents({ ended, segments }: AudioOutput): PackagedEvent[] {
  return [...partEvents(ended), ...segmentEvents(segments)];
}

function partEvents(parts: readonly LivePart[]): PackagedEvent[] {
  return parts.map((part) => ({ type: 'part', part }));
}

function segmentEvents(segments: readonly LiveSegment[]): PackagedEvent[] {
  return segments.map((segment) => ({ type: 'segment', segment }));
}
