import { MAX_PIXELS, SOURCE_URL } from '../open-source.ts';
import type { PictureKind } from './picture-kind.ts';

/** The longest side of a picture that is kept. */
export const MAX_LONG_SIDE_PX = 1920;

/** The one demuxer that each kind is opened with: nothing is guessed from what the bytes look like. */
const FORMAT: Readonly<Record<PictureKind, string>> = {
  jpeg: 'jpeg_pipe',
  png: 'png_pipe',
  webp: 'webp_pipe',
  avif: 'mov',
};

/**
 * The arguments of the ffmpeg that makes a JPEG of an untrusted picture on its standard output: upright (ffmpeg
 * turns by EXIF orientation itself), even sides, at most 1920 pixels on the long one, full range, without its
 * metadata. Frames larger than 8192 x 4320 are refused by it.
 */
export function planPicture(kind: PictureKind): string[] {
  const fit = `w='min(iw,${MAX_LONG_SIDE_PX})':h='min(ih,${MAX_LONG_SIDE_PX})'`;
  const scale = `scale=${fit}:force_original_aspect_ratio=decrease:force_divisible_by=2:out_color_matrix=bt601:out_range=pc`;
  const filters = [scale, 'format=yuvj420p', 'setsar=1'];
  return [
    ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'level+error', '-xerror'],
    ...['-filter_threads', '1', '-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMAT[kind]],
    ...['-max_pixels', String(MAX_PIXELS), '-threads', '1', '-f', FORMAT[kind], '-i', SOURCE_URL],
    ...['-map', '0:v:0', '-frames:v', '1', '-vf', filters.join(','), '-map_metadata', '-1', '-fflags', '+bitexact'],
    ...['-c:v', 'mjpeg', '-threads', '1', '-q:v', '3', '-f', 'image2pipe', 'pipe:1'],
  ];
}
