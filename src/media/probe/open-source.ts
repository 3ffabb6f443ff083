import { SANDBOX_SOURCE } from '../ffmpeg/sandbox-argv.ts';
import { DECODER_GUARD } from '../ffmpeg/usual-decoders.ts';

/**
 * The demuxers that an upload may use. Playlists (hls, dash, concat), pictures (image2, svg), sdp and
 * generators (lavfi) are left out: they open other files or hosts. So are raw elementary streams: they have no times.
 */
export const ALLOWED_FORMATS =
  'mov,matroska,webm,mpegts,mpeg,avi,flv,ogg,asf,mxf,mxf_d10,gxf,wtv,rm,nut,ivf,dv,gif,apng,' +
  'wav,w64,aiff,mp3,aac,flac,ac3,eac3,dts,dtshd,amr,amrnb,amrwb,caf,au,wv,ape,tta,loas,truehd,xwma,voc';

/** Largest frame that is decoded: 8192 x 4320. */
export const MAX_PIXELS = 35_389_440;

/** Streams that a source may have before it is refused. */
export const MAX_STREAMS = 64;

/** Input options that go before every `-i` of an untrusted file: nothing but this file is ever opened. */
export const GUARD_ARGV: readonly string[] = [
  ...['-protocol_whitelist', 'file,pipe'],
  ...['-format_whitelist', ALLOWED_FORMATS],
  ...DECODER_GUARD,
  ...['-max_streams', String(MAX_STREAMS)],
  ...['-max_pixels', String(MAX_PIXELS)],
  ...['-probesize', '20000000', '-analyzeduration', '20000000'],
];

/** The input of a sandboxed ffmpeg or ffprobe as a URL; the scheme keeps ffmpeg from reading a protocol into it. */
export const SOURCE_URL = `file:${SANDBOX_SOURCE}`;
