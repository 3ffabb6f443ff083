/**
 * ffmpeg decoders allowed for uploads and streams: the formats that phones, cameras, editors, screen recorders,
 * broadcasters, web and telephone systems of the last twenty years produce. All other decoders are old or rare, seldom
 * tested, and disabled unless `MILLRACE_RARE_DECODERS` is `on`.
 */
const VIDEO: readonly string[] = [
  // Phones, cameras, screen recorders, the web.
  ...[
    'h264',
    'hevc',
    'libdav1d',
    'libaom-av1',
    'av1',
    'vp8',
    'vp9',
    'libvpx',
    'libvpx-vp9',
    'mpeg4',
    'mjpeg',
    'mjpegb',
  ],
  ...['h263', 'h263i', 'h263p', 'flv', 'vp6', 'vp6a', 'vp6f', 'theora', 'gif', 'png', 'apng', 'webp', 'bmp', 'tiff'],
  // Discs, broadcast, Windows.
  ...['mpeg1video', 'mpeg2video', 'mpegvideo', 'vc1', 'wmv1', 'wmv2', 'wmv3', 'msmpeg4v1', 'msmpeg4v2', 'msmpeg4'],
  // Editors and archives.
  ...['prores', 'dnxhd', 'cfhd', 'dvvideo', 'jpeg2000', 'libopenjpeg', 'qtrle', 'aic', 'ffv1', 'rawvideo', 'v210'],
];

const AUDIO: readonly string[] = [
  ...['aac', 'aac_latm', 'mp1', 'mp1float', 'mp2', 'mp2float', 'mp3', 'mp3float', 'opus', 'libopus', 'vorbis'],
  ...['libvorbis', 'ac3', 'eac3', 'dca', 'truehd', 'mlp', 's302m', 'flac', 'alac', 'wavpack', 'ape', 'tta'],
  ...['wmav1', 'wmav2', 'wmapro', 'wmalossless', 'wmavoice', 'amrnb', 'amrwb', 'speex', 'libspeex', 'nellymoser'],
  ...['gsm', 'gsm_ms', 'libgsm', 'libgsm_ms', 'g722', 'g726', 'g726le', 'dvaudio', 'adpcm_ima_qt', 'adpcm_ima_wav'],
  ...['adpcm_ms', 'adpcm_swf', 'adpcm_yamaha', 'pcm_alaw', 'pcm_mulaw', 'pcm_bluray', 'pcm_dvd', 'pcm_s8', 'pcm_u8'],
  ...['pcm_s16be', 'pcm_s16le', 'pcm_s24be', 'pcm_s24le', 'pcm_s32be', 'pcm_s32le', 'pcm_s64be', 'pcm_s64le'],
  ...['pcm_u16be', 'pcm_u16le', 'pcm_u24be', 'pcm_u24le', 'pcm_u32be', 'pcm_u32le', 'pcm_f16le', 'pcm_f24le'],
  ...['pcm_f32be', 'pcm_f32le', 'pcm_f64be', 'pcm_f64le', 'pcm_s8_planar', 'pcm_s16be_planar', 'pcm_s16le_planar'],
  ...['pcm_s24le_planar', 'pcm_s32le_planar', 'pcm_s24daud'],
];

/** Subtitle decoders. ffprobe also opens them, and exits if they are not allowed. */
const SUBTITLES: readonly string[] = [
  ...['srt', 'subrip', 'ass', 'ssa', 'mov_text', 'webvtt', 'text', 'cc_dec', 'dvbsub', 'dvdsub', 'pgssub', 'xsub'],
  'libzvbi_teletextdec',
];

const USUAL = [...VIDEO, ...AUDIO, ...SUBTITLES].join(',');

/** Options of ffmpeg and ffprobe before each `-i` of an untrusted file or stream. */
export const DECODER_GUARD: readonly string[] = ['-codec_whitelist', USUAL];

/**
 * Returns the arguments without `DECODER_GUARD`, for machines whose administrator allows rare decoders. Keeps codec
 * lists that are narrower than the guard.
 */
export function withoutDecoderGuard(argv: readonly string[]): string[] {
  const [option] = DECODER_GUARD;
  const isGuard = (at: number) => argv[at] === option && argv[at + 1] === USUAL;
  return argv.filter((_, index) => !isGuard(index) && !isGuard(index - 1));
}
