import type { StoredWatermark } from '../../catalog/images/image-schema.ts';
import { type LibrarySettings, readLibrarySettings } from '../../catalog/libraries/library-settings.ts';
import type { UploadOptions } from '../../catalog/schema.ts';
import { CODEC_NAMES } from '../../media/encode/codecs/all.ts';
import { type LadderOptions, RUNGS, type Rung } from '../../media/encode/ladder.ts';

/** Encode settings of a library and an upload, limited to those that the engine supports. */
export type EncodeSettings = {
  ladder: LadderOptions;
  /** Codecs to encode. The first is always H.264, which every player decodes. It is the only one in the free tier. */
  codecs: readonly string[];
  /** Target loudness of audio in LUFS; null leaves the loudness unchanged. */
  loudnessTargetLufs: number | null;
  hasAllAudioTracks: boolean;
  /** Whether tracks with five or more channels are also encoded in 5.1. */
  hasSurround: boolean;
  /** Watermark drawn on all frames, or null without one. */
  watermark: StoredWatermark | null;
  /**
   * Whether segments are encoded on demand. `refused`: it was requested, but the library is not on the premium tier.
   */
  onDemand: 'no' | 'wanted' | 'refused';
};

/**
 * Merges a library's settings with those of the upload. The library's list applies if the upload's list is empty or has
 * only unknown rungs. Keeps `presentCodecs`, the codecs that the video already has, because they may have been added
 * one by one.
 */
export function readEncodeSettings(
  stored: unknown,
  upload: UploadOptions,
  presentCodecs: readonly string[] = [],
): EncodeSettings {
  const { encoding, watermark } = readLibrarySettings(stored);
  const wanted = knownRungs(upload.enabledRungs ?? []);
  const allowed = wanted.length > 0 ? wanted : knownRungs(encoding.rungs);
  const caps = Object.entries(encoding.videoKbps).map(([rung, kbps]) => [rung, kbps * 1000]);
  const chosen = encoding.tier === 'free' ? [] : (upload.enabledCodecs ?? encoding.codecs);
  const codecs: readonly string[] = [...chosen, ...presentCodecs];
  return {
    ladder: {
      allowedRungs: allowed.length > 0 ? allowed : RUNGS.filter((rung) => rung <= 1080),
      maxBitratesBps: Object.fromEntries(caps.filter(([, bps]) => Number(bps) > 0)),
    },
    codecs: CODEC_NAMES.filter((name, index) => index === 0 || codecs.includes(name)),
    loudnessTargetLufs: encoding.normaliseLoudness ? encoding.loudnessTargetLufs : null,
    hasAllAudioTracks: encoding.multiAudio,
    hasSurround: encoding.surroundAudio,
    watermark: readWatermark(watermark),
    onDemand: readOnDemand(encoding.tier, upload.jitEnabled ?? encoding.jitEnabled),
  };
}

function readWatermark({ present, ...watermark }: LibrarySettings['watermark']): StoredWatermark | null {
  return present ? watermark : null;
}

function readOnDemand(tier: 'free' | 'premium', isAskedFor: boolean): EncodeSettings['onDemand'] {
  if (!isAskedFor) return 'no';
  return tier === 'premium' ? 'wanted' : 'refused';
}

function knownRungs(rungs: readonly number[]): Rung[] {
  return RUNGS.filter((rung) => rungs.includes(rung));
}
