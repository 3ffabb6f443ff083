import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { MAX_TEXT_TRACKS } from '../probe/explain-unoffered.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import { nameTrack, uniqueName } from '../probe/read-track-names.ts';
import type { SourceFacts, SubtitleFacts } from '../probe/source-facts.ts';
import type { Cue } from './cue.ts';
import { readAss } from './read-ass.ts';
import { readCaptions } from './read-captions.ts';

/** A text track of a source, with the `srclang` and label of its captions. */
export type ChosenSubtitle = SubtitleFacts & { srclang: string; label: string };

/**
 * Returns the text subtitles that become captions. The first full track of a language gets the language as its
 * `srclang`. Others get `en-sdh`, `en-forced`, `en-2`. Omits image subtitles (PGS, DVD).
 */
export function chooseSubtitles({ subtitles }: Pick<SourceFacts, 'subtitles'>): ChosenSubtitle[] {
  const texts = subtitles.filter(({ isText }) => isText);
  const order = { full: 0, sdh: 1, forced: 2 };
  const addresses = new Set<string>();
  const names = new Set<string>();
  const sorted = texts.toSorted((a, b) => order[a.kind ?? 'full'] - order[b.kind ?? 'full']);
  return sorted.slice(0, MAX_TEXT_TRACKS).map((track) => {
    const { language, kind = 'full' } = track;
    const plain = kind === 'full' || (kind === 'sdh' && !addresses.has(language)) ? language : `${language}-${kind}`;
    let srclang = plain;
    for (let count = 2; addresses.has(srclang); count += 1) srclang = `${plain}-${count}`;
    addresses.add(srclang);
    return { ...track, srclang, label: uniqueName(nameTrack(track, 'Captions'), names) };
  });
}

/**
 * ffmpeg output options by codec. SubRip and WebVTT are copied. All other formats are converted to ASS, which keeps
 * positions.
 */
const COPIED: Readonly<Record<string, readonly string[]>> = {
  subrip: ['-c:s', 'copy', '-f', 'srt'],
  webvtt: ['-c:s', 'copy', '-f', 'webvtt'],
};
const AS_SCRIPT = ['-c:s', 'ass', '-f', 'ass'];

/**
 * Plans an ffmpeg run that writes each track (at least one) to its own pipe, for `readTrack`. Time 0 is the start of
 * the source's earliest stream.
 */
export function planSubtitles(facts: Pick<SourceFacts, 'durationSec'>, tracks: readonly SubtitleFacts[]): FfmpegPlan {
  if (tracks.length === 0) throw new Error('Expected at least one subtitle track, got none.');
  const outputs = tracks.flatMap(({ streamIndex, codec }, index) => [
    ...['-map', `0:${streamIndex}`, '-map_metadata', '-1', ...(COPIED[codec] ?? AS_SCRIPT)],
    `pipe:${FIRST_OUTPUT_FD + index}`,
  ]);
  return {
    argv: [...QUIET_ARGV, ...GUARD_ARGV, '-vn', '-an', '-dn', '-i', SOURCE_URL, ...outputs],
    outputs: tracks.map(({ streamIndex }) => `captions-${streamIndex}`),
    durationSec: facts.durationSec,
  };
}

/** Reads the captions of a track from the output of `planSubtitles`. */
export function readTrack({ codec }: Pick<SubtitleFacts, 'codec'>, text: string): Cue[] {
  return codec in COPIED ? readCaptions(text).cues : readAss(text);
}
