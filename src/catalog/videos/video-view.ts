import type { Selectable } from 'kysely';
import type { MediaTable } from '../schema.ts';

type ShownColumn =
  | 'library_id'
  | 'id'
  | 'title'
  | 'description'
  | 'category'
  | 'collection_id'
  | 'is_public'
  | 'created_at'
  | 'state'
  | 'upload_options'
  | 'source_key'
  | 'duration_ms'
  | 'width_px'
  | 'height_px'
  | 'frame_rate'
  | 'rotation_deg'
  | 'encode_progress'
  | 'storage_bytes'
  | 'thumbnail_key'
  | 'thumbnail_file_name'
  | 'thumbnail_width_px'
  | 'thumbnail_height_px'
  | 'thumbnail_count'
  | 'thumbnail_blurhash'
  | 'messages'
  | 'meta_tags'
  | 'chapters'
  | 'moments'
  | 'captions'
  | 'views'
  | 'watch_sec_total';

/** What is read of a video's row to show it, and nothing that is not shown: a page reads a thousand of them. */
export type VideoViewRow = Pick<Selectable<MediaTable>, ShownColumn> & {
  was_planned: boolean;
  /** In hexadecimal digits. */
  source_sha256: string | null;
  /** Names of its animations. */
  previews: readonly string[];
  /** Of the active video renditions that can be played from end to end: codec, state and rung, `x264 finished 720,…`. */
  shown: string | null;
};

/** Of a video's renditions the rungs (heights in pixels, rising) and the codecs; `mp4_rungs` are the finished ones in H.264. */
type Playable = { rungs: readonly number[]; mp4_rungs: readonly number[]; codecs: readonly string[] };

/** A video as it is shown: its row, and what its active video renditions that can be played from end to end come to. */
export type VideoView = VideoViewRow & Playable;

/** Videos of a library have few different sets of renditions, so each is read once. */
const MOST_REMEMBERED = 1_000;
const remembered = new Map<string, Playable>();

/** Adds to a row what its renditions come to. */
export function toVideoView(row: VideoViewRow): VideoView {
  // Into the row, which nobody else has: a copy of that many columns costs as much as reading them.
  return Object.assign(row, recallPlayable(row.shown ?? ''));
}

function recallPlayable(shown: string): Playable {
  const known = remembered.get(shown);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const playable = readPlayable(shown);
  remembered.set(shown, playable);
  return playable;
}

function readPlayable(shown: string): Playable {
  const renditions = shown === '' ? [] : shown.split(',').map((line) => line.split(' '));
  const withRung = renditions.filter(([, , rung]) => rung !== undefined);
  const mp4 = withRung.filter(([codec, state]) => codec === 'x264' && state === 'finished');
  return {
    rungs: risingRungs(withRung),
    mp4_rungs: risingRungs(mp4),
    codecs: [...new Set(renditions.map(([codec = '']) => codec))].sort((one, other) => (one < other ? -1 : 1)),
  };
}

function risingRungs(renditions: readonly string[][]): number[] {
  return [...new Set(renditions.map(([, , rung]) => Number(rung)))].sort((one, other) => one - other);
}
