import type { PageConfig } from './config.ts';

/**
 * Media to fetch before playback is requested, as in HTML: nothing, the playlists and the first segment, or as much as
 * a playing page buffers.
 */
export type Preload = 'none' | 'metadata' | 'auto';

/** Options from the query of the page's URL, or else from the library's settings. */
export type StartOptions = {
  autoplay: boolean;
  muted: boolean;
  loop: boolean;
  preload: Preload;
  startSec: number | null;
  playsInline: boolean;
  /** The captions to choose, and whether to show them immediately. Null leaves the choice to the viewer. */
  captions: { language: string; isShown: boolean } | null;
  showsHeat: boolean;
  showsSpeed: boolean;
  remembersPosition: boolean;
  isCompact: boolean;
  offersCast: boolean;
  offersAirplay: boolean;
  usesNativeFullscreen: boolean;
  /** Whether the video fills the frame. If not, it is never larger than it was encoded. */
  fillsFrame: boolean;
  /** Whether this session counts in the statistics. Previews of owners do not count. */
  counts: boolean;
};

type Look = Pick<PageConfig['look'], 'showHeatmap' | 'rememberPosition' | 'compactControls'>;

/**
 * Reads the options. Names are case-insensitive. If a name occurs several times, the first one counts. A flag is set by
 * its name alone (`?muted`) or by `true`, `1` or `yes`, and cleared by `false`, `0` or `no`. Any other value, or none
 * after its `=`, is ignored. `preload` also accepts the values of HTML.
 */
export function readStartOptions(query: string, look: Look): StartOptions {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), value);
  }
  const alone = new Set(query.toLowerCase().split(/[?&]/));
  const flag = (name: string, standard: boolean) => alone.has(name) || readFlag(values.get(name), standard);
  return {
    autoplay: flag('autoplay', true),
    muted: flag('muted', false),
    loop: flag('loop', false),
    preload: /^auto$/i.test(values.get('preload') ?? '') ? 'auto' : flag('preload', true) ? 'metadata' : 'none',
    startSec: values.has('t') ? readTimeSec(values.get('t') ?? '') : null,
    playsInline: flag('playsinline', true),
    captions: readCaptions(values.get('captions') ?? ''),
    showsHeat: flag('showheatmap', look.showHeatmap),
    showsSpeed: flag('showspeed', true),
    remembersPosition: flag('rememberposition', look.rememberPosition),
    isCompact: flag('compactcontrols', look.compactControls),
    offersCast: flag('chromecast', false),
    offersAirplay: !flag('disableairplay', false),
    fillsFrame: flag('responsive', true),
    usesNativeFullscreen: !flag('disableiosplayer', false),
    counts: flag('count', true),
  };
}

/** Reads `90`, `30s`, `1h20m45s`, `mm:ss` or `hh:mm:ss` as seconds. Returns 0 for anything else. */
export function readTimeSec(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (/^\d{1,4}(:\d{1,2}){1,2}$/.test(text)) return text.split(':').reduce((sec, part) => sec * 60 + Number(part), 0);
  const [whole, hours, minutes, seconds] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/i.exec(text) ?? [];
  if (whole === undefined || whole === '') return 0;
  return Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

/** Reads the captions option: `en` selects a language, `en-auto` also shows it. */
function readCaptions(text: string): StartOptions['captions'] {
  if (!/^[a-z0-9-]{2,40}$/i.test(text)) return null;
  const isShown = /-auto$/i.test(text);
  return { language: isShown ? text.slice(0, -'-auto'.length) : text, isShown };
}

function readFlag(value = '', standard: boolean): boolean {
  if (/^(true|1|yes)$/i.test(value)) return true;
  return /^(false|0|no|none)$/i.test(value) ? false : standard;
}
