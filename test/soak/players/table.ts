import { RATE } from './numbered-clip.ts';
import { HEIGHTS, PLAYERS, type Row, type Step } from './trial.ts';

/**
 * A known fault of a player, with the reason why we cannot fix it, by `player format program` without versions. `most`:
 * known maximum error of its seeks, in frames.
 */
type Note = { row: RegExp; steps: readonly (keyof Row['outcome'])[]; most?: number; text: string };

const NOTES: readonly Note[] = [
  {
    row: /^mpv/,
    steps: ['switch'],
    text:
      'mpv 0.35 ends when another video track is selected during playback, also with fMP4 HLS written by ffmpeg.\n' +
      '   Select a rung at the start with `--hls-bitrate`.',
  },
  {
    row: /^GStreamer/,
    steps: ['seek'],
    most: 6,
    text:
      'GStreamer 1.22 ignores edit lists, so video and audio are 0.2 s (five frames) late on its clock\n' +
      '   (`decisions/048-presentation-delay.md`).',
  },
  {
    row: /^VLC/,
    steps: ['seek'],
    most: 9,
    text:
      'VLC 3, while paused, shows a frame about 0.3 s before the seek target, because it places segments by\n' +
      '   decode time without the edit list. Playback is in sync. With times that include the delay, as ffmpeg\n' +
      '   writes them, VLC is exact, but media start late in hls.js (`decisions/048-presentation-delay.md`).',
  },
  {
    row: /^Shaka 5 DASH Firefox/,
    steps: ['end', 'replay'],
    text:
      'Shaka 5.2 in Firefox sometimes stops fetching if a seek directly follows a change of rung. Version 3.3 does\n' +
      '   not, and neither does 5.2 with the same fragments over HLS.',
  },
];

const STEPS = ['play', 'seek', 'switch', 'end', 'replay'] as const;
/**
 * Limits: seeks within a frame, and audio and video in sync within what nobody notices (ITU-R BT.1359 allows 45 ms).
 */
const MAX_SEEK_FRAMES = 1;
const MAX_SKEW_MS = 45;
/** Rungs that a page's trial chooses, in order: every rung, and down again. */
const SWITCHED = [...HEIGHTS, HEIGHTS[0]];

/** Returns the faults of a row that no note covers. */
export function unexpected(row: Row): string[] {
  const faults = faultsOf(row).filter(({ step }) => noteOf(row, step) === -1);
  return faults.map(({ step, reason }) => `${nameOf(row)}: ${step}: ${reason}`);
}

/** Writes the page `docs/players.md`. */
export function writePage(rows: readonly Row[]): string {
  const used = NOTES.filter((_, index) =>
    rows.some((row) => faultsOf(row).some(({ step }) => noteOf(row, step) === index)),
  );
  const mark = (note: number) => (note === -1 ? 'no' : `no (${used.indexOf(NOTES[note] as Note) + 1})`);
  const lines = rows.map((row) => {
    const faults = faultsOf(row);
    const cells = STEPS.map((step) => {
      const fault = faults.find((one) => one.step === step);
      return fault === undefined
        ? good(row, step)
        : `${mark(noteOf(row, step))}${step === 'seek' ? ` ${good(row, step)}` : ''}`;
    });
    return `| ${row.player} | ${row.format} | ${row.program} | ${cells.join(' | ')} | ${skewOf(row) ?? ''} |`;
  });
  return `# Players

Use this page to see which players work with HLS and DASH from Millrace, and their known faults.
\`npm run soak -- players\` writes it. The test uploads a clip of 24 s with numbered frames and a beep every second,
and plays its rungs (${HEIGHTS.join('p, ')}p: the highest copied, the others encoded) in each player.

- **Plays**: more than five seconds, with each frame at its time.
- **Seeks**: five seeks while paused, and the largest error in frames of ${1000 / RATE} ms.
- **Switches**: each rung is selected during playback, and shown. VLC and GStreamer select by bandwidth only, so the
  test shows that VLC switches up by itself, and that GStreamer follows the bandwidth.
- **Ends** with the last frame and **replays** from the first.
- **Sound**: delay of the beeps behind their frames in ms, accurate to about 20.

| Player | Format | In | Plays | Seeks | Switches | Ends | Replays | Sound, ms |
|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
${used.length === 0 ? '' : `\n${used.map(({ text }, index) => `${index + 1}. ${text}`).join('\n')}\n`}`;
}

function nameOf({ player, format, program }: Row): string {
  return `${player} ${format} ${program}`;
}

function noteOf(row: Row, step: string): number {
  const { seek } = row.outcome;
  const seekFrames = seek.isGood ? seek.value : Number.POSITIVE_INFINITY;
  return NOTES.findIndex(({ row: rows, steps, most = 0 }) => {
    const isKnown = rows.test(nameOf(row)) && steps.some((known) => known === step);
    return isKnown && (step !== 'seek' || seekFrames <= most);
  });
}

function faultsOf({ outcome, player }: Row): { step: string; reason: string }[] {
  const failed = STEPS.flatMap((step) => {
    const { isGood, ...rest }: Step<unknown> = outcome[step];
    return isGood ? [] : [{ step, reason: 'reason' in rest ? rest.reason : '' }];
  });
  const { seek } = outcome;
  if (seek.isGood && (seek.value ?? Number.POSITIVE_INFINITY) > MAX_SEEK_FRAMES) {
    failed.push({ step: 'seek', reason: `off by ${seek.value} frames` });
  }
  const shown = outcome.switch;
  // A program's list comes from its own trial, which continues once a rung was shown.
  if (PLAYERS.some(({ name }) => name === player) && shown.isGood && `${shown.value}` !== `${SWITCHED}`) {
    failed.push({ step: 'switch', reason: `showed ${shown.value}, expected ${SWITCHED}` });
  }
  const skewMs = skewOf({ outcome });
  if (outcome.play.isGood && (skewMs === null || Math.abs(skewMs) > MAX_SKEW_MS)) {
    failed.push({ step: 'play', reason: `sound ${skewMs} ms after the picture in ${player}` });
  }
  return failed;
}

function good({ outcome }: Row, step: (typeof STEPS)[number]): string {
  const { seek } = outcome;
  if (step !== 'seek') return 'yes';
  return seek.isGood && Number.isFinite(seek.value) ? `${seek.value} of ${Math.round(1000 / RATE)} ms` : '';
}

function skewOf({ outcome }: Pick<Row, 'outcome'>): number | null {
  const { play } = outcome;
  return play.isGood && play.value.soundMs !== null ? play.value.soundMs - play.value.pictureMs : null;
}
