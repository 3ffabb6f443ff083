import { BrokenMedia } from '../../bmff/broken-media.ts';
import { configurationOf } from '../../bmff/sample-entry.ts';
import { readH264SequenceSet } from '../../nal/h264-sequence-set.ts';
import type { TrackConfig } from './access-unit.ts';
import { hasDeepPictures, isH264Entry } from './sample-entry.ts';

/** Offset of the first SPS in an AVCDecoderConfigurationRecord, after its 16-bit length. */
const FIRST_SET_AT = 8;
const CHROMA_NAMES = ['no', '4:2:0', '4:2:2', '4:4:4'];

const DEEP_PICTURES =
  'The video has more than 8 bits a sample, like HDR: it is passed on unchanged, and no smaller resolutions are ' +
  'encoded. Publish 8 bits a sample in BT.709 for them.';

const smallerOnly = (codec: string, who: string) =>
  `The video is ${codec}: ${who} play only the smaller resolutions, or only the sound if none are encoded. Publish ` +
  'H.264 for all.';

/** Codecs that are passed on unchanged although some players cannot decode them, by the type of the sample entry. */
const LIMITED_CODECS: Readonly<Record<string, string>> = {
  hvc1: smallerOnly('HEVC', 'browsers without an HEVC decoder'),
  av01: smallerOnly('AV1', 'devices without an AV1 decoder'),
};

/**
 * Returns a readable reason why video that is passed on unchanged does not play on all devices or has no rungs, or null
 * if none is known.
 */
export function describePlaybackLimit({ kind, sampleEntry }: TrackConfig): string | null {
  if (kind !== 'video') return null;
  if (!isH264Entry(sampleEntry)) {
    const limit = LIMITED_CODECS[sampleEntry.toString('latin1', 4, 8)];
    return (
      [limit, hasDeepPictures(sampleEntry) ? DEEP_PICTURES : undefined].filter((one) => one !== undefined).join(' ') ||
      null
    );
  }
  const kept = hasDeepPictures(sampleEntry) ? ' No smaller resolutions are encoded.' : '';
  const found = describePictures(configurationOf(sampleEntry));
  return found === null ? null : `The video does not play in most browsers: it is H.264 ${found}.${kept}`;
}

function describePictures(record: Buffer): string | null {
  try {
    const { chromaFormat, lumaDepthMinus8, framesOnly } = readH264SequenceSet(record.subarray(FIRST_SET_AT));
    if (chromaFormat > 1) return `${CHROMA_NAMES[chromaFormat]} chroma; publish 4:2:0`;
    if (lumaDepthMinus8 > 0) return `${lumaDepthMinus8 + 8} bits a sample; publish 8, or HEVC`;
    return framesOnly ? null : 'interlaced coding, which shows combs; publish progressive pictures';
  } catch (error) {
    // Truncated parameter sets are accepted, because the fields needed elsewhere were already read.
    if (error instanceof BrokenMedia) return null;
    throw error;
  }
}
