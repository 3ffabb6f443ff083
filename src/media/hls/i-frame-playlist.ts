import { type IFrame, iFrameSizeBytes } from './i-frame.ts';

/** The single pictures of a rendition from its start on, in order of time. */
export type IFrameRun = {
  timescale: number;
  frames: readonly IFrame[];
  /** Whether no picture will follow. */
  isWhole: boolean;
};

/** Bits per second of the I-frame segments, rounded up. */
export type IFrameRates = { peakBps: number; averageBps: number };

/** Below this many ticks a second, microseconds distinguish any two ticks. */
const MICROSECOND_TIMESCALE_LIMIT = 400_000;

/**
 * Writes an I-frame playlist (RFC 8216 section 4.3.3.6). `folder` is the relative address of the rendition's own
 * folder, empty or ending in `/`; a picture's address is `i/{startTick}.m4s` there, which stays true when chunks
 * are merged. `keyLines` (EXT-X-KEY) stand after the map. Each EXTINF is the difference of two rounded times, so that sums of them never drift from the ticks.
 * Throws on an empty run.
 */
export function writeIFramePlaylist(run: IFrameRun, folder: string, keyLines: readonly string[] = []): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${targetDurationSec(run)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    `#EXT-X-PLAYLIST-TYPE:${run.isWhole ? 'VOD' : 'EVENT'}`,
    '#EXT-X-I-FRAMES-ONLY',
    `#EXT-X-MAP:URI="${folder}init.mp4"`,
    ...keyLines,
  ];
  const decimals = run.timescale < MICROSECOND_TIMESCALE_LIMIT ? 6 : 9;
  const timeOf = (tick: number) => Number((tick / run.timescale).toFixed(decimals));
  for (const { startTick, durationTicks } of run.frames) {
    const durationSec = timeOf(startTick + durationTicks) - timeOf(startTick);
    lines.push(`#EXTINF:${durationSec.toFixed(decimals)},`, `${folder}${iFrameAddress(startTick)}`);
  }
  if (run.isWhole) lines.push('#EXT-X-ENDLIST');
  return `${lines.join('\n')}\n`;
}

/** A picture's address in its rendition's folder. */
export function iFrameAddress(startTick: number): string {
  return `i/${startTick}.m4s`;
}

/**
 * The rates of an I-frame playlist. The peak is that of any pictures in a row that last 0.5 to 1.5 target durations
 * together (RFC 8216 section 4.1), so that one picture shown for a moment does not own it; a run that is shorter
 * has only its average.
 */
export function computeIFrameRates(run: IFrameRun): IFrameRates {
  const { frames, timescale } = run;
  const sizes = frames.map(iFrameSizeBytes);
  const bps = (sizeBytes: number, ticks: number) => Math.ceil((sizeBytes * 8 * timescale) / ticks);
  const targetTicks = targetDurationSec(run) * timescale;
  let peakBps = 0;
  for (let first = 0; first < frames.length; first += 1) {
    let sizeBytes = 0;
    let ticks = 0;
    for (let last = first; last < frames.length; last += 1) {
      sizeBytes += sizes[last] ?? 0;
      ticks += frames[last]?.durationTicks ?? 0;
      if (ticks > 1.5 * targetTicks) break;
      if (ticks >= 0.5 * targetTicks) peakBps = Math.max(peakBps, bps(sizeBytes, ticks));
    }
  }
  const averageBps = bps(
    sizes.reduce((sum, size) => sum + size, 0),
    frames.reduce((sum, frame) => sum + frame.durationTicks, 0),
  );
  return { peakBps: Math.max(peakBps, averageBps), averageBps };
}

/** What a multivariant playlist says of an I-frame playlist besides its rates. */
export type IFrameVariant = { codecString: string; widthPx: number; heightPx: number; uri: string };

/** Writes the line that lists an I-frame playlist in a multivariant playlist (RFC 8216 section 4.3.4.3). */
export function writeIFrameStreamInf({ peakBps, averageBps }: IFrameRates, variant: IFrameVariant): string {
  const attributes = [
    `BANDWIDTH=${peakBps}`,
    `AVERAGE-BANDWIDTH=${averageBps}`,
    `CODECS=${quoted(variant.codecString)}`,
    `RESOLUTION=${variant.widthPx}x${variant.heightPx}`,
    `URI=${quoted(variant.uri)}`,
  ];
  return `#EXT-X-I-FRAME-STREAM-INF:${attributes.join(',')}`;
}

function targetDurationSec({ frames, timescale }: IFrameRun): number {
  if (frames.length === 0) throw new Error('Expected one picture or more in an I-frame playlist, got none.');
  const longestTicks = frames.reduce((longest, frame) => Math.max(longest, frame.durationTicks), 0);
  return Math.max(1, Math.round(longestTicks / timescale));
}

/** A quoted-string holds no line break and no double quote (RFC 8216 section 4.2): such text is our own mistake. */
function quoted(text: string): string {
  if (/["\r\n]/.test(text))
    throw new Error(`Expected text without quotes and line breaks, got ${JSON.stringify(text)}.`);
  return `"${text}"`;
}
