/** A player of npm: the scripts and styles of its package that its page loads, and how the page speaks to it. */
export type PlayerPackage = {
  name: string;
  kind: 'hls.js' | 'Shaka' | 'dash.js' | 'Video.js' | 'Clappr' | 'Plyr';
  files: readonly string[];
  formats: readonly ('HLS' | 'DASH')[];
};

export const PLAYERS: readonly PlayerPackage[] = [
  { name: 'hls.js 0.14', kind: 'hls.js', files: ['hls.js-0.14/dist/hls.min.js'], formats: ['HLS'] },
  { name: 'hls.js 1.4', kind: 'hls.js', files: ['hls.js-1.4/dist/hls.min.js'], formats: ['HLS'] },
  { name: 'hls.js 1.7', kind: 'hls.js', files: ['hls.js-1.7/dist/hls.min.js'], formats: ['HLS'] },
  { name: 'Shaka 3', kind: 'Shaka', files: ['shaka-player-3/dist/shaka-player.compiled.js'], formats: ['HLS', 'DASH'] },
  { name: 'Shaka 5', kind: 'Shaka', files: ['shaka-player-5/dist/shaka-player.compiled.js'], formats: ['HLS', 'DASH'] },
  { name: 'dash.js 3', kind: 'dash.js', files: ['dashjs-3/dist/dash.all.min.js'], formats: ['DASH'] },
  { name: 'dash.js 5', kind: 'dash.js', files: ['dashjs-5/dist/modern/umd/dash.all.min.js'], formats: ['DASH'] },
  {
    name: 'Video.js 8',
    kind: 'Video.js',
    files: ['video.js/dist/video.min.js', 'video.js/dist/video-js.min.css'],
    formats: ['HLS', 'DASH'],
  },
  { name: 'Clappr', kind: 'Clappr', files: ['@clappr/player/dist/clappr.min.js'], formats: ['HLS'] },
  {
    name: 'Plyr',
    kind: 'Plyr',
    files: ['hls.js-1.7/dist/hls.min.js', 'plyr/dist/plyr.min.js', 'plyr/dist/plyr.css'],
    formats: ['HLS'],
  },
];

/** The rungs of the numbered clip, in px. */
export const HEIGHTS = [240, 360, 480] as const;

/** What a page is to do: a player over an address of the numbered clip, and how its browser lets sound be heard. */
export type Trial = {
  player: Pick<PlayerPackage, 'kind'>;
  address: string;
  rate: number;
  lengthSec: number;
  capture: 'web-audio' | 'recording';
};

/**
 * By how much, on the player's own clock, pictures and sound come later than they say themselves; null where it is not
 * known. `recording`: WebM in base64 of what was played, from which `soundMs` is to be found.
 */
export type Played = { pictureMs: number; soundMs: number | null; recording: string | null };

/** A step of a trial: done, with what was measured, or why not. */
export type Step<Value = null> = { isGood: true; value: Value } | { isGood: false; reason: string };

/** What a player showed. `seek`: frames by which the picture was off, at worst. `switch`: heights shown, in px. */
export type Outcome = {
  play: Step<Played>;
  seek: Step<number>;
  switch: Step<number[]>;
  end: Step;
  replay: Step;
};

/** A row of the table: a player, what it played, in which program, and what it showed. */
export type Row = { player: string; format: 'HLS' | 'DASH'; program: string; outcome: Outcome };
