/** What the query of the page's address asks for. */
export type StartOptions = {
  autoplay: boolean;
  muted: boolean;
  loop: boolean;
  preload: boolean;
  startSec: number;
};

export function readStartOptions(query: string): StartOptions {
  const values = new URLSearchParams(query);
  return {
    autoplay: readFlag(values.get('autoplay'), true),
    muted: readFlag(values.get('muted'), false),
    loop: readFlag(values.get('loop'), false),
    preload: readFlag(values.get('preload'), true),
    startSec: readTimeSec(values.get('t') ?? ''),
  };
}

/** Reads `90`, `30s`, `1h20m45s`, `mm:ss` or `hh:mm:ss` as seconds; 0 for anything else. */
export function readTimeSec(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (/^\d{1,4}(:\d{1,2}){1,2}$/.test(text)) return text.split(':').reduce((sec, part) => sec * 60 + Number(part), 0);
  const [whole, hours, minutes, seconds] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text) ?? [];
  if (whole === undefined || whole === '') return 0;
  return Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

/** `?muted` and `?muted=1` are yes like `?muted=true`; an unknown value is the default. */
function readFlag(value: string | null, standard: boolean): boolean {
  if (value === null) return standard;
  if (['', 'true', '1'].includes(value.toLowerCase())) return true;
  return ['false', '0'].includes(value.toLowerCase()) ? false : standard;
}
