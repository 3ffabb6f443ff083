import type { Guid } from '../lib/guid.ts';
import type { AudioForm } from '../media/cmaf/audio-grid.ts';
import type { Colours } from '../media/probe/colours.ts';
import type { AudioRole } from '../media/probe/source-facts.ts';
import type { StorageKey } from '../ports/storage.ts';
import type { StoredWatermark } from './images/image-schema.ts';

/** Encoder input of a rendition, in addition to the source's facts. `streamIndex` is the source's audio track. */
export type RenditionPlan = {
  durationSec: number;
  /** The library's watermark when the rendition was planned. */
  watermark?: StoredWatermark;
  streamIndex?: number;
  /** For a track that the owner added: its id, and the file that it is encoded from. */
  added?: { trackId: string; sourceKey: StorageKey };
  role?: AudioRole;
  /** Omitted for stereo at the usual bitrate. */
  form?: AudioForm;
  /** Its frames are copied, unless they need a gain. */
  copiesAudio?: boolean;
  maxBitrateBps?: number;
  /** Colours of SDR video. Default: BT.709 in limited range. */
  colours?: Colours;
  /** Target loudness in LUFS, reached with a constant gain. */
  loudnessTargetLufs?: number;
  /** For a composed video: the rendition that each part is copied from, or null for a part without audio. */
  composedOf?: (Guid | null)[];
  /** For a live recording, which has no original: the rendition of its timeline that it is encoded from. */
  recordedOf?: Guid;
  /** For a rendition that joins the periods of a live recording, so that they fit into one MP4 file. */
  joined?: JoinedPlan;
};

/**
 * The periods of a recording in order, and the highest frame rate of their video, or 0. `sourceId` is the rendition of
 * a period that is encoded. If it is null, the period gets a black picture or silence.
 */
export type JoinedPlan = { parts: readonly { sourceId: Guid | null; segments: number }[]; frameRate: number };
