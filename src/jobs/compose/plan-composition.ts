import type { ComposedVideo } from '../../catalog/compose/compose-store.ts';
import type { PartRendition, PartView } from '../../catalog/compose/part-view.ts';
import type { MediaKey } from '../../catalog/db.ts';
import type { PlannedRendition } from '../../catalog/lifecycle/encode-plan.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { composeCutList, type Piece, planPieces } from '../../media/compose/plan-pieces.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import { MAX_BITRATES_BPS, RUNGS } from '../../media/encode/ladder.ts';
import { toNumber } from '../../media/probe/frame-rate.ts';
import type { Rational } from '../../media/probe/source-facts.ts';
import { type CutList, frameTimescale, segmentFramesOf } from '../../media/timeline/cut-list.ts';
import { composeAudioTasks, composeTasks, type TaskTimeline, thumbnailTask } from '../planning/plan-tasks.ts';
import { estimateBytes } from './estimate-bytes.ts';

/** A range of a video, in seconds of its timeline. */
export type WantedPart = { view: PartView; fromSec: number; toSec: number };

/** Maximum number of segments of a composition, about 20 hours. */
const MAX_PIECES = 20_000;

/**
 * Decides how to compose a video from parts of other videos. Renditions that have the same format in all parts are
 * copied. If a part starts or ends within a segment, that piece is encoded from the original, with the settings of the
 * adjacent segments. A rung that all parts have is encoded completely if its format differs between them, or if it was
 * itself copied from an original. Throws `Refused` (`invalid`) if the parts have no common rung or different frame
 * rates, a required original is missing, or a range is empty.
 */
export function planComposition(key: MediaKey, wanted: readonly WantedPart[], isExact: boolean): ComposedVideo {
  const [first] = wanted;
  if (first === undefined) throw new Refused('invalid', 'Expected at least one part, got none. Send a part.');
  requireOneKind(wanted);
  requireOneRate(wanted);
  const parts = onOneGrid(wanted);
  const timescale = parts[0]?.view.cutList.timescale ?? 1;
  const pieces = planPieces(parts.map(toRange), isExact);
  requireEach(parts, pieces);
  const cutList = composeCutList(pieces, timescale);
  const durationSec = cutList.endTicks / timescale;
  const timeline: TaskTimeline = { key, timelineId: newGuid(), cutList, durationSec };
  const pictures = planPictures(parts, pieces, { timescale, durationSec });
  const audioTracks = planAudioTracks(parts, durationSec);
  if (pictures.copied.length + pictures.made.length + audioTracks.length === 0) throw nothingInCommon();
  // Audio of streams has the same cuts as their video and is copied with it.
  const isAllCopied = pictures.made.length === 0 && pieces.every(({ segment }) => segment !== null);
  const tasks = parts.some(({ view }) => view.isRecorded)
    ? composeTasks(timeline, { copied: [...pictures.copied, ...audioTracks], made: [], isAllCopied })
    : [
        ...composeTasks(timeline, { ...pictures, isAllCopied }),
        ...audioTracks.flatMap((audio) => composeAudioTasks(timeline, audio)),
      ];
  // A composition of audio shows the cover of its first part that has one.
  const isAudio = parts.every(({ view }) => view.facts.video === null);
  if (isAudio && parts.some(({ view }) => view.hasThumbnail)) tasks.push(thumbnailTask(timeline));
  const renditions = [...pictures.copied, ...pictures.made, ...audioTracks];
  return {
    timeline: { id: timeline.timelineId, cutList, isActive: true, renditions, tasks },
    recipe: {
      timescale,
      parts: parts.map(({ view }) => ({
        mediaId: view.mediaId,
        grid: view.cutList.grid,
        endTicks: view.cutList.endTicks,
        ...markOf(view),
      })),
      pieces,
      estimatedBytes: estimateBytes(parts, { renditions, pieces }),
    },
    facts: { ...first.view.facts, durationSec },
    durationMs: Math.round(durationSec * 1000),
  };
}

function markOf({ renditions }: PartView) {
  const watermark = renditions.find(({ plan }) => plan.watermark !== undefined)?.plan.watermark;
  return watermark === undefined ? {} : { watermark };
}

/**
 * Returns parts with the same time grid unchanged. Otherwise converts all parts to a frame grid, because all encoders
 * of a rendition need the same time base. Media on a different grid cannot be copied and must be encoded. A source's
 * own grid can have the timescale of a frame grid, but its encoders have another time base.
 */
function onOneGrid(parts: readonly WantedPart[]): readonly WantedPart[] {
  const grids = new Set(parts.map(({ view: { cutList } }) => `${cutList.grid.kind} ${cutList.timescale}`));
  const [first] = parts;
  if (grids.size === 1 || first === undefined) return parts;
  const { grid } = first.view.cutList;
  const rate = grid.kind === 'frames' ? grid.rate : first.view.facts.video?.rate;
  if (rate === undefined) throw nothingInCommon();
  return parts.map((part) => ({ ...part, view: { ...part.view, cutList: toFrameGrid(part.view.cutList, rate) } }));
}

/** Moves each cut of a source's own time grid to the nearest frame of a frame grid. */
function toFrameGrid(cutList: CutList, rate: Rational): CutList {
  if (cutList.grid.kind === 'frames') return cutList;
  const { timescale, frameTicks } = frameTimescale(rate);
  const frameAt = (tick: number) => Math.round(((tick / cutList.timescale) * rate.num) / rate.den);
  const totalFrames = frameAt(cutList.endTicks);
  const segmentFrames = segmentFramesOf(rate);
  return {
    timescale,
    startTicks: cutList.startTicks.map((tick) => frameAt(tick) * frameTicks),
    endTicks: totalFrames * frameTicks,
    grid: { kind: 'frames', rate, segmentFrames, totalFrames },
  };
}

function rateOf({ cutList: { grid }, facts }: PartView): number | null {
  if (grid.kind === 'frames') return toNumber(grid.rate);
  return facts.video === null ? null : toNumber(facts.video.rate);
}

function toRange({ view, fromSec, toSec }: WantedPart) {
  const { cutList, isRecorded } = view;
  const rate = rateOf(view);
  const frameTicks = rate === null ? 1 : cutList.timescale / rate;
  return { cutList, fromSec, toSec, frameTicks, isRecorded };
}

function requireOneKind(parts: readonly WantedPart[]): void {
  const isRecorded = parts[0]?.view.isRecorded;
  const other = parts.find(({ view }) => view.isRecorded !== isRecorded);
  if (other === undefined) return;
  throw new Refused(
    'invalid',
    `Expected live streams only or videos only. ${other.view.mediaId} is not of the same kind as the first part. ` +
      'Leave it out.',
  );
}

/** Recordings are copied, so they need one timescale. Their frame rates may differ. */
function requireOneRate(parts: readonly WantedPart[]): void {
  const [first] = parts;
  if (first === undefined) return;
  const describe = ({ view }: WantedPart) =>
    view.isRecorded ? `${view.cutList.timescale} ticks a second` : `${describeRate(rateOf(view))}`;
  const expected = describe(first);
  const other = parts.find((part) => describe(part) !== expected);
  if (other === undefined) return;
  throw new Refused(
    'invalid',
    `Expected all parts to have the frame rate of the first part, ${expected}, got ${describe(other)} for video ` +
      `${other.view.mediaId}. Leave it out, or convert it first.`,
  );
}

function describeRate(rate: number | null): string {
  return rate === null ? 'no picture' : `${Number(rate.toFixed(3))} frames a second`;
}

function requireEach(parts: readonly WantedPart[], pieces: readonly Piece[]): void {
  const empty = parts.findIndex((_, part) => !pieces.some((piece) => piece.part === part));
  if (empty >= 0) {
    throw new Refused(
      'invalid',
      `Expected part ${empty + 1} to contain at least one frame of video ${parts[empty]?.view.mediaId}, got none. ` +
        'Correct the times of this part.',
    );
  }
  if (pieces.length > MAX_PIECES) {
    throw new Refused(
      'invalid',
      `Expected at most ${MAX_PIECES} segments, got ${pieces.length}. Use fewer or shorter parts.`,
    );
  }
}

type Length = { timescale: number; durationSec: number };

function planPictures(parts: readonly WantedPart[], pieces: readonly Piece[], length: Length) {
  const copied: PlannedRendition[] = [];
  const made: PlannedRendition[] = [];
  // Audio is cut between frames and copied.
  if (parts.every(({ view }) => view.facts.video === null && !view.isRecorded)) return { copied, made };
  const isWhole = pieces.every(({ segment }) => segment !== null);
  for (const candidate of parts[0]?.view.renditions.filter(({ kind }) => kind === 'video') ?? []) {
    const twins = parts.map(({ view }) => view.renditions.find((one) => isSameRung(one, candidate)));
    if (twins.some((twin) => twin === undefined)) continue;
    const found = twins.flatMap((twin) => twin ?? []);
    const isAlike = found.every(({ init, timescale }) => init.equals(candidate.init) && timescale === length.timescale);
    const isJoinable = isWhole || found.every(({ origin }) => origin === 'encode');
    if (isAlike && isJoinable) {
      copied.push(toPlanned(candidate, length.durationSec, found));
    } else if (candidate.codec === BASE_CODEC && !parts.some(({ view }) => view.isRecorded)) {
      made.push(toMade(candidate, length));
    }
  }
  if (copied.length + made.length === 0) throw nothingInCommon();
  if (!isWhole || made.length > 0) requireOriginals(parts);
  return { copied, made };
}

function isSameRung(one: PartRendition, other: PartRendition): boolean {
  const isSameSize = one.widthPx === other.widthPx && one.heightPx === other.heightPx;
  return one.kind === 'video' && one.codec === other.codec && one.rung === other.rung && isSameSize;
}

function requireOriginals(parts: readonly WantedPart[]): void {
  const lost = parts.find(({ view }) => !view.hasOriginal);
  if (lost === undefined) return;
  throw new Refused(
    'invalid',
    `The original of video ${lost.view.mediaId} no longer exists, and is needed to encode the ends of its part. ` +
      'Send exact false and use parts of videos with the same format.',
  );
}

function nothingInCommon(): Refused {
  return new Refused(
    'invalid',
    'Expected parts that share at least one resolution with the same size and codec, found none.',
  );
}

/**
 * Plans the audio tracks that all parts with audio have, by language and name. If there are no such tracks, plans one
 * track for each language that all of these parts have. If there is no such language either, plans one track from the
 * main audio of each part.
 */
function planAudioTracks(parts: readonly WantedPart[], durationSec: number): PlannedRendition[] {
  const isHeard = ({ kind, plan }: PartRendition) => kind === 'audio' && plan.form === undefined;
  const audioTracks = parts.map(({ view }) => view.renditions.filter(isHeard));
  const heard = audioTracks.filter((tracks) => tracks.length > 0);
  const [first = []] = heard;
  const isOneLanguage = (one: PartRendition, other: PartRendition) => one.language === other.language;
  const isSame = (one: PartRendition, other: PartRendition) => isOneLanguage(one, other) && one.name === other.name;
  const inAll = (isAlike: typeof isSame) =>
    first.filter((track) => heard.every((tracks) => tracks.some((one) => isAlike(one, track))));
  const alike = inAll(isSame);
  const languages = inAll(isOneLanguage).filter(
    (track, index, all) => all.findIndex((one) => isOneLanguage(one, track)) === index,
  );
  const wanted = [alike, languages, first.slice(0, 1)].find((tracks) => tracks.length > 0) ?? [];
  return wanted.flatMap((track): PlannedRendition[] => {
    const sources = audioTracks.map(
      (tracks) =>
        tracks.find((one) => isSame(one, track)) ?? tracks.find((one) => isOneLanguage(one, track)) ?? tracks[0],
    );
    const isAlike = sources.every((source) => source === undefined || source.init.equals(track.init));
    const isWhole = !parts.some(({ view }) => view.isRecorded) || sources.every((source) => source !== undefined);
    return isAlike && isWhole ? [toPlanned(track, durationSec, sources)] : [];
  });
}

function toPlanned(
  { id: _, init, codecString, plan, storageBytes: __, ...rendition }: PartRendition,
  durationSec: number,
  sources: readonly (PartRendition | undefined)[],
): PlannedRendition {
  const composedOf = sources.map((source): Guid | null => source?.id ?? null);
  return {
    ...rendition,
    id: newGuid(),
    origin: 'encode',
    plan: {
      ...{ durationSec, composedOf },
      ...(plan.role && { role: plan.role }),
      ...capOf(rendition.rung, plan),
      ...(plan.colours && { colours: plan.colours }),
    },
    listed: { init, codecString },
    plannedSegments: null,
    isOnDemand: false,
  };
}

function toMade(
  { init: _, codecString: __, storageBytes: ___, plan, ...rendition }: PartRendition,
  { timescale, durationSec }: Length,
): PlannedRendition {
  return {
    ...rendition,
    id: newGuid(),
    origin: 'encode',
    timescale,
    plan: { durationSec, ...capOf(rendition.rung, plan) },
    listed: null,
    plannedSegments: null,
    isOnDemand: false,
  };
}

/**
 * Returns the bitrate cap of the earlier encode, because the new segments are played next to segments with that cap.
 */
function capOf(rung: number | null, plan: PartRendition['plan']): { maxBitrateBps?: number } {
  const known = RUNGS.find((one) => one === rung);
  const usualBps = known === undefined ? undefined : MAX_BITRATES_BPS[known];
  const maxBitrateBps = plan.maxBitrateBps ?? usualBps;
  return maxBitrateBps === undefined ? {} : { maxBitrateBps };
}
