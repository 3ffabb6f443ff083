import { SANDBOX_SOURCE } from '../ffmpeg/sandbox-argv.ts';
import { DECODER_GUARD } from '../ffmpeg/usual-decoders.ts';

/**
 * Demuxers allowed for uploads. Playlists (hls, dash, concat), images (image2, svg), sdp and generators (lavfi) are
 * excluded because they open other files or hosts. Raw elementary streams are excluded because they have no times.
 */
export const ALLOWED_FORMATS =
  'mov,matroska,webm,mpegts,mpeg,avi,flv,ogg,asf,mxf,mxf_d10,gxf,wtv,rm,nut,ivf,dv,gif,apng,' +
  'wav,w64,aiff,mp3,aac,flac,ac3,eac3,dts,dtshd,amr,amrnb,amrwb,caf,au,wv,ape,tta,loas,truehd,xwma,voc';

/** Maximum pixels of a decoded frame: 8192 x 4320. */
export const MAX_PIXELS = 35_389_440;

/** Maximum number of streams of a source. */
export const MAX_STREAMS = 64;

/** Input options before every `-i` of an untrusted file, which prevent it from opening other files. */
export const GUARD_ARGV: readonly string[] = [
  ...['-protocol_whitelist', 'file,pipe'],
  ...['-format_whitelist', ALLOWED_FORMATS],
  ...DECODER_GUARD,
  ...['-max_streams', String(MAX_STREAMS)],
  ...['-max_pixels', String(MAX_PIXELS)],
  ...['-probesize', '20000000', '-analyzeduration', '20000000'],
];

/**
 * URL of the input of a sandboxed ffmpeg or ffprobe. The scheme prevents ffmpeg from parsing a protocol from the path.
 */
export const SOURCE_URL = `file:${SANDBOX_SOURCE}`;
