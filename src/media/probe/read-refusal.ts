import { ALLOWED_FORMATS, MAX_STREAMS } from './open-source.ts';
import type { SourceFault } from './source-facts.ts';

/** Names that ffmpeg gives to video streams without a container. */
const RAW_FORMATS: ReadonlySet<string> = new Set(['h264', 'hevc', 'h263', 'm4v', 'mpegvideo', 'obu', 'vc1', 'mjpeg']);

/** Whether ffprobe reports a picture with too many pixels. */
export function isPictureTooLarge(stderr: string): boolean {
  return /exceeds specified max pixel count/.test(stderr);
}

/** Returns the reason why ffprobe cannot, or must not, open a file. Returns null if it is unknown. */
export function readRefusal(stderr: string): SourceFault | null {
  if (isPictureTooLarge(stderr)) {
    const size = /Picture size (\d+x\d+)/.exec(stderr)?.[1] ?? 'unknown';
    return { kind: 'frame-too-large', message: `Expected at most 8192x4320 pixels, got ${size}.` };
  }
  if (/max_streams/.test(stderr)) {
    return { kind: 'too-many-streams', message: `Expected at most ${MAX_STREAMS} streams, got more.` };
  }
  const decoder = /Codec \((\S+)\) not on whitelist/.exec(stderr)?.[1];
  if (decoder !== undefined) {
    const message =
      `Expected common codecs (H.264, HEVC, AV1, VP9, ProRes, AAC ...), got ${decoder}. Convert the file to one of ` +
      'these, or set MILLRACE_RARE_DECODERS=on on the server.';
    return { kind: 'undecodable', message };
  }
  const format = /\[(\S+) @ [^\]]*\] \[error\] Format not on whitelist/.exec(stderr);
  const name = format?.[1] ?? '';
  if (RAW_FORMATS.has(name)) {
    const message =
      `Expected a media file with times (MP4, MOV, MKV ...), got a raw ${name} stream. Put it into an MP4 file ` +
      `first, such as with "ffmpeg -framerate 25 -f ${name} -i FILE -c copy FILE.mp4", and upload that.`;
    return { kind: 'not-media', message };
  }
  if (format !== null) {
    const some = ALLOWED_FORMATS.split(',', 6).join(', ');
    const message = `Expected one media file (${some} ...), got the format ${name}. Convert it to MP4 first.`;
    return { kind: 'not-media', message };
  }
  return null;
}
