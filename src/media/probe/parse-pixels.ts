import { type Colours, completeColours, HLG, PQ } from './colours.ts';
import { readHdrMetadata } from './hdr-metadata.ts';
import { asRaw, type Raw, readNumber, readText } from './raw-fields.ts';
import type { SourceFault, VideoFacts } from './source-facts.ts';

/**
 * Finds Dolby Vision whose base layer cannot be shown alone (profile 5): its colours are IPT, which only licensed
 * decoders support. The base layer of the other profiles is HDR10, HLG or SDR, and is used as such.
 */
export function findDolbyFault(stream: Raw): SourceFault | null {
  const sideData = (Array.isArray(stream.side_data_list) ? stream.side_data_list : []).map(asRaw);
  const configuration = sideData.find((data) => readNumber(data.dv_profile) !== null);
  if (configuration === undefined) return null;
  const hasBase = readNumber(configuration.bl_present_flag) !== 0;
  if (hasBase && (readNumber(configuration.dv_bl_signal_compatibility_id) ?? 0) > 0) return null;
  const message =
    `Expected video that players can show, got Dolby Vision profile ${readNumber(configuration.dv_profile)} ` +
    'without a base layer in HDR10, HLG or SDR. Export the file as profile 8.1 or 8.4, as HDR10, HLG or SDR.';
  return { kind: 'undecodable', message };
}

/** Parses the pixel format and colours of a stream as reported by ffprobe. */
export function parsePixels(
  stream: Raw,
): Pick<VideoFacts, 'pixelFormat' | 'bitDepth' | 'hdr' | 'colorMatrix' | 'colours' | 'hdrMetadata'> {
  const pixelFormat = readText(stream.pix_fmt) ?? 'unknown';
  const depth = /p(9|10|12|14|16)(le|be)?$/.exec(pixelFormat)?.[1] ?? readText(stream.bits_per_raw_sample) ?? '8';
  const sideData = (Array.isArray(stream.side_data_list) ? stream.side_data_list : []).map(asRaw);
  const colours = completeColours({
    ...{ primaries: readText(stream.color_primaries), transfer: readText(stream.color_transfer) },
    ...{ matrix: readText(stream.color_space), range: readRange(stream, pixelFormat), pixelFormat },
    ...{ widthPx: readNumber(stream.width) ?? 0, heightPx: readNumber(stream.height) ?? 0 },
    dolbyBaseLayer: sideData.map((data) => readNumber(data.dv_bl_signal_compatibility_id)).find(isKnown) ?? null,
  });
  const hdr = colours.transfer === PQ ? 'pq' : colours.transfer === HLG ? 'hlg' : null;
  const hdrMetadata = hdr === null ? null : readHdrMetadata(sideData);
  return {
    ...{ pixelFormat, bitDepth: Number(depth) || 8, hdr, colorMatrix: matrixName(colours), colours },
    ...(hdrMetadata !== null && { hdrMetadata }),
  };
}

function isKnown<T>(value: T | null): value is T {
  return value !== null;
}

function matrixName({ matrix }: Colours): VideoFacts['colorMatrix'] {
  if (matrix === 9 || matrix === 10 || matrix === 14) return 'bt2020';
  return matrix >= 4 && matrix <= 7 ? 'bt601' : 'bt709';
}

const SRGB = 'iec61966-2-1';

/**
 * Reads the declared range. Corrects recordings by browsers, which contain limited range but declare the full range of
 * the canvas in the container. For H.264, the pixel format of ffmpeg shows whether the range is full. VP8 has no full
 * range. A VP9 recording by a browser is recognised by its sRGB transfer function.
 */
function readRange(stream: Raw, pixelFormat: string): string | null {
  const codec = readText(stream.codec_name);
  const isRecorded = codec === 'h264' || codec === 'vp8' || (codec === 'vp9' && stream.color_transfer === SRGB);
  return isRecorded && !pixelFormat.startsWith('yuvj') ? null : readText(stream.color_range);
}
