import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import type { SourceFacts, SubtitleFacts } from '../probe/source-facts.ts';
import type { Cue } from './cue.ts';
import { readAss } from './read-ass.ts';
import { readCaptions } from './read-captions.ts';

/** Tracks that are taken at most: each is an output of the one process. */
const MAX_TRACKS = 20;

/** The text subtitles that become captions: the first track of each language. Pictures of text (PGS, DVD) do not. */
export function chooseSubtitles({ subtitles }: Pick<SourceFacts, 'subtitles'>): SubtitleFacts[] {
  const texts = subtitles.filter(({ isText }) => isText);
  return texts
    .filter((track, index) => texts.findIndex(({ language }) => language === track.language) === index)
    .slice(0, MAX_TRACKS);
}

/** How a track leaves ffmpeg: SubRip and WebVTT as they are, all others as a script that names their places. */
const COPIED: Readonly<Record<string, readonly string[]>> = {
  subrip: ['-c:s', 'copy', '-f', 'srt'],
  webvtt: ['-c:s', 'copy', '-f', 'webvtt'],
};
const AS_SCRIPT = ['-c:s', 'ass', '-f', 'ass'];

/**
 * Plans one run that writes each track (at least one) on a pipe of its own, for `readTrack`; time 0 is the source's
 * earliest stream.
 */
export function planSubtitles(facts: Pick<SourceFacts, 'durationSec'>, tracks: readonly SubtitleFacts[]): FfmpegPlan {
  if (tracks.length === 0) throw new Error('Expected at least one subtitle track, got none.');
  const outputs = tracks.flatMap(({ streamIndex, codec }, index) => [
    ...['-map', `0:${streamIndex}`, '-map_metadata', '-1', ...(COPIED[codec] ?? AS_SCRIPT)],
    `pipe:${FIRST_OUTPUT_FD + index}`,
  ]);
  return {
    argv: [...QUIET_ARGV, ...GUARD_ARGV, '-vn', '-an', '-dn', '-i', SOURCE_URL, ...outputs],
    outputs: tracks.map(({ language }) => `captions-${language}`),
    durationSec: facts.durationSec,
  };
}

/** The captions in what `planSubtitles` wrote of a track. */
export function readTrack({ codec }: Pick<SubtitleFacts, 'codec'>, text: string): Cue[] {
  return codec in COPIED ? readCaptions(text).cues : readAss(text);
}
