import type { Guid } from '../../lib/guid.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { CaptionTrack, Chapter, MediaMessage, MediaState, MetaTag, Moment, UploadOptions } from '../schema.ts';
import type { SmartGeneration } from '../smart/smart-schema.ts';
import type { Visibility } from '../visibility.ts';

/** Columns of a video's row that are displayed. Others are not read, because a page reads up to 1,000 videos. */
export type VideoViewRow = {
  library_id: number;
  id: Guid;
  title: string;
  description: string | null;
  category: string | null;
  collection_id: Guid | null;
  is_public: boolean;
  visibility: Visibility;
  created_at: Date;
  state: MediaState;
  was_planned: boolean;
  upload_options: UploadOptions;
  source_key: StorageKey | null;
  /** In hexadecimal digits. */
  source_sha256: string | null;
  duration_ms: number;
  width_px: number;
  height_px: number;
  frame_rate: number;
  rotation_deg: number | null;
  encode_progress: number;
  storage_bytes: number;
  thumbnail_key: StorageKey | null;
  thumbnail_file_name: string;
  thumbnail_width_px: number | null;
  thumbnail_height_px: number | null;
  thumbnail_count: number;
  thumbnail_blurhash: string | null;
  /** Names of its animations. */
  previews: readonly string[];
  messages: MediaMessage[];
  meta_tags: MetaTag[];
  chapters: Chapter[];
  moments: Moment[];
  captions: CaptionTrack[];
  smart: SmartGeneration | null;
  views: number;
  watch_sec_total: number;
  /**
   * Active video renditions that players are offered: codec, state and rung, `h264 finished 720,…`. The last entry is
   * `SPLIT_MARK` for a recording of several periods, with the rung of its MP4 file, `split 720`.
   */
  shown: string | null;
};

export const SPLIT_MARK = 'split';

/**
 * The rungs (heights in pixels, ascending) and codecs of a video's renditions. `mp4_rungs` are the finished ones in
 * H.264. A recording of several periods has one at most, in which they are joined.
 */
type Playable = { rungs: readonly number[]; mp4_rungs: readonly number[]; codecs: readonly string[] };

/** A video for display: its row, and a summary of the active video renditions that players are offered. */
export type VideoView = VideoViewRow & Playable;

/** Videos of a library have few distinct sets of renditions, so each is parsed once. */
const MAX_REMEMBERED_SETS = 1_000;
const remembered = new Map<string, Playable>();

/** Adds the summary of its renditions to a row. */
export function toVideoView(row: VideoViewRow): VideoView {
  // Modifies the row, which has no other owner: copying that many columns costs as much as reading them.
  return Object.assign(row, recallPlayable(row.shown ?? ''));
}

function recallPlayable(shown: string): Playable {
  const known = remembered.get(shown);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED_SETS) remembered.clear();
  const playable = readPlayable(shown);
  remembered.set(shown, playable);
  return playable;
}

function readPlayable(shown: string): Playable {
  const lines = shown === '' ? [] : shown.split(',');
  const [mark, joinedRung] = (lines.at(-1) ?? '').split(' ');
  const isSplit = mark === SPLIT_MARK;
  const renditions = (isSplit ? lines.slice(0, -1) : lines).map((line) => line.split(' '));
  const joined = isSplit && joinedRung !== undefined ? [[BASE_CODEC, 'finished', joinedRung]] : [];
  const withRung = renditions.filter(([, , rung]) => rung !== undefined);
  const mp4 = withRung.filter(([codec, state]) => codec === BASE_CODEC && state === 'finished');
  return {
    // A shorter period may have a higher rung.
    rungs: risingRungs([...withRung, ...joined]),
    mp4_rungs: risingRungs(isSplit ? joined : mp4),
    codecs: [...new Set(renditions.map(([codec = '']) => codec))].sort((one, other) => (one < other ? -1 : 1)),
  };
}

function risingRungs(renditions: readonly string[][]): number[] {
  return [...new Set(renditions.map(([, , rung]) => Number(rung)))].sort((one, other) => one - other);
}
