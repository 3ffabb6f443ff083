import { MAX_PIXELS, SOURCE_URL } from '../probe/open-source.ts';
import { type ImageColours, toSrgbFilters } from './image-colours.ts';
import type { ImageKind } from './image-kind.ts';
import { MINIATURE } from './miniature.ts';

/** Maximum long side of a stored image. */
export const MAX_LONG_SIDE_PX = 1920;

/** File descriptor of the miniature. */
const MINIATURE_FD = 3;

/** Demuxer of each format, so that ffmpeg does not guess the format from the bytes. */
const FORMAT: Readonly<Record<ImageKind, string>> = {
  jpeg: 'jpeg_pipe',
  png: 'png_pipe',
  webp: 'webp_pipe',
  avif: 'mov',
};

/** Allowed decoders of each format. */
const DECODERS: Readonly<Record<ImageKind, string>> = {
  jpeg: 'mjpeg',
  png: 'png,apng',
  webp: 'webp',
  avif: 'libdav1d,libaom-av1,av1',
};

/**
 * Builds the ffmpeg arguments that convert an untrusted image to a JPEG on standard output: upright (ffmpeg applies the
 * EXIF orientation), with even sides, at most 1920 pixels on the long side, full range, without metadata. Colours that
 * the image declares become sRGB. Rejects frames larger than 8192 x 4320. Also writes a miniature with four bytes per
 * pixel.
 */
export function planImage(kind: ImageKind, colours: ImageColours = null): string[] {
  const scale = `${FIT}:force_divisible_by=2:out_color_matrix=bt601:out_range=pc`;
  const miniature = `scale=${MINIATURE.widthPx}:${MINIATURE.heightPx}:flags=area,format=rgba`;
  const outputs = `[a]${scale},format=yuvj420p,setsar=1[whole];[b]${miniature}[small]`;
  const graph = `[0:v:0]${toSrgbFilters(colours)}split=2[a][b];${outputs}`;
  const one = ['-frames:v', '1', '-map_metadata', '-1', '-fflags', '+bitexact'];
  return [
    ...openImage(kind),
    ...['-filter_complex', graph],
    ...['-map', '[whole]', ...one, '-c:v', 'mjpeg', '-threads', '1', '-q:v', '3', '-f', 'image2pipe', 'pipe:1'],
    ...['-map', '[small]', ...one, '-f', 'rawvideo', `pipe:${MINIATURE_FD}`],
  ];
}

/**
 * Like `planImage`, for a watermark: a PNG with transparency, at most 1920 pixels on the long side. Its sides may be
 * odd.
 */
export function planMark(kind: ImageKind, colours: ImageColours = null): string[] {
  return [
    ...openImage(kind),
    ...[
      '-filter_complex',
      `[0:v:0]${FIT},${toSrgbFilters(colours)}format=rgba,setsar=1[mark]`,
      '-map',
      '[mark]',
      '-frames:v',
      '1',
    ],
    ...['-map_metadata', '-1', '-fflags', '+bitexact', '-c:v', 'png', '-threads', '1', '-f', 'image2pipe', 'pipe:1'],
  ];
}

const fitSide = (side: string) => `'min(${side},${MAX_LONG_SIDE_PX})'`;
const FIT = `scale=w=${fitSide('iw')}:h=${fitSide('ih')}:force_original_aspect_ratio=decrease`;

function openImage(kind: ImageKind): string[] {
  return [
    ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'level+error', '-xerror'],
    ...['-filter_threads', '1', '-filter_complex_threads', '1'],
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMAT[kind]],
    ...['-codec_whitelist', DECODERS[kind], '-max_pixels', String(MAX_PIXELS)],
    ...['-threads', '1', '-f', FORMAT[kind], '-i', SOURCE_URL],
  ];
}
