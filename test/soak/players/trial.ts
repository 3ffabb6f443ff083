/** An npm player: the scripts and styles of its package that its page loads, and the kind of its interface. */
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

/** Task of a page: a player, the URL of the numbered clip, and how audio is measured in this browser. */
export type Trial = {
  player: Pick<PlayerPackage, 'kind'>;
  address: string;
  rate: number;
  lengthSec: number;
  capture: 'web-audio' | 'recording';
};

/**
 * How late video and audio are on the player's own clock, null if unknown. `recording`: the playback as WebM in base64,
 * in which `soundMs` is to be measured.
 */
export type Played = { pictureMs: number; soundMs: number | null; recording: string | null };

/** A step of a trial: success with its measurement, or the reason of the failure. */
export type Step<Value = null> = { isGood: true; value: Value } | { isGood: false; reason: string };

/** Results of a player. `seek`: maximum error in frames. `switch`: heights shown, in px. */
export type Outcome = {
  play: Step<Played>;
  seek: Step<number>;
  switch: Step<number[]>;
  end: Step;
  replay: Step;
};

/** A row of the table: a player, its format, the program it ran in, and the results. */
export type Row = { player: string; format: 'HLS' | 'DASH'; program: string; outcome: Outcome };
