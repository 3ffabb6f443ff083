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
      'mpv 0.35 ends when another video track is chosen while it plays, as it does with HLS in fMP4 that ffmpeg\n' +
      '   writes; opened with a rung (`--hls-bitrate`) it plays that one.',
  },
  {
    row: /^GStreamer/,
    steps: ['seek'],
    most: 6,
    text:
      'GStreamer 1.22 passes over edit lists: video and audio alike are 0.2 s (five frames) late on its clock\n' +
      '   (`decisions/048-presentation-delay.md`).',
  },
  {
    row: /^VLC/,
    steps: ['seek'],
    most: 9,
    text:
      'VLC 3, paused, shows a picture about 0.3 s before the place that it was sent to: it places segments by\n' +
      '   decode times, without the edit list. It plays in step. With HLS whose times are all later by the delay,\n' +
      '   as ffmpeg writes it, it is exact, but media then begin late in hls.js\n' +
      '   (`decisions/048-presentation-delay.md`).',
  },
  {
    row: /^Shaka 5 DASH Firefox/,
    steps: ['end', 'replay'],
    text:
      'Shaka 5.2 in Firefox at times fetches no more after a seek that follows a change of rung at once; its 3.3\n' +
      '   does, and so does 5.2 with the same fragments by HLS.',
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

\`npm run soak -- players\` writes this page. It uploads a clip of 24 s whose pictures show their own number and
whose seconds begin with a beep, and drives each player over the rungs that are made of it
(${HEIGHTS.join('p, ')}p: the highest copied, the others encoded).

- **Plays**: more than five seconds, every picture at its time.
- **Seeks**: to five places, paused; by how many frames the picture is off, at worst.
- **Switches**: every rung is chosen while it plays, and shown. VLC and GStreamer choose by the line alone: of VLC it is
  shown that it goes up by itself, of GStreamer that it goes where the line sends it.
- **Ends** with the last picture and **replays** from the first.
- **Sound**: by how many ms beeps come later than their pictures, within about 20.

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
