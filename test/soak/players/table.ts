import { RATE } from './numbered-clip.ts';
import { HEIGHTS, PLAYERS, type Row, type Step } from './trial.ts';

/**
 * A known fault of a player that we cannot fix, with the reason. `row` matches `player format program` without
 * versions. `most`: known maximum error of its seeks, in frames.
 */
type Note = { row: RegExp; steps: readonly (keyof Row['outcome'])[]; most?: number; text: string };

const NOTES: readonly Note[] = [
  {
    row: /^mpv/,
    steps: ['switch'],
    text:
      'mpv 0.35 ends playback when a different video track is selected, even with fMP4 HLS written by ffmpeg.\n' +
      '   Select a rung at startup with `--hls-bitrate`.',
  },
  {
    row: /^GStreamer/,
    steps: ['seek'],
    most: 6,
    text:
      'GStreamer 1.22 ignores edit lists, so video and audio are both 0.2 s (five frames) late\n' +
      '   ([decision 048](decisions/048-presentation-delay.md)).',
  },
  {
    row: /^VLC/,
    steps: ['seek'],
    most: 9,
    text:
      'After a seek while paused, VLC 3 shows a frame about 0.3 s before the target, because it ignores the\n' +
      '   edit list. Playback is in sync. VLC is exact if timestamps include the delay, as in files written by\n' +
      '   ffmpeg, but hls.js then starts late ([decision 048](decisions/048-presentation-delay.md)).',
  },
  {
    row: /^Shaka 5 DASH Firefox/,
    steps: ['end', 'replay'],
    text:
      'Shaka 5.2 in Firefox sometimes stops loading segments if a seek directly follows a change of rung.\n' +
      '   Version 3.3 does not, and neither does 5.2 with the same fragments over HLS.',
  },
];

const STEPS = ['play', 'seek', 'switch', 'end', 'replay'] as const;
/** Limits: seeks are accurate to a frame, and the A/V offset is not noticeable (ITU-R BT.1359 allows 45 ms). */
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

Use this page to see which players play HLS and DASH from Millrace, and their known problems.
\`npm run soak -- players\` runs the test and writes this page. The test uploads a clip of 24 s with numbered frames
and a beep every second. The clip has the rungs ${HEIGHTS.join('p, ')}p: the highest is copied, the others are encoded.

- **Plays**: plays for more than five seconds and shows each frame at its time.
- **Seeks**: seeks five times while paused. The cell shows the largest error, in frames of ${1000 / RATE} ms.
- **Switches**: selects each rung during playback and shows it. VLC and GStreamer select rungs only by bandwidth. The
  test checks that VLC switches to a higher rung, and that GStreamer follows the available bandwidth.
- **Ends**: ends with the last frame. **Replays**: then plays again from the first frame.
- **Audio**: delay of the beeps relative to their frames in ms, accurate to about 20 ms.

| Player | Format | Browser or system | Plays | Seeks | Switches | Ends | Replays | Audio, ms |
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
  // A program's list is from its own trial, which continues once a rung was shown.
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
  return seek.isGood && Number.isFinite(seek.value) ? `${seek.value}` : '';
}

function skewOf({ outcome }: Pick<Row, 'outcome'>): number | null {
  const { play } = outcome;
  return play.isGood && play.value.soundMs !== null ? play.value.soundMs - play.value.pictureMs : null;
}
