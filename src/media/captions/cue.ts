/**
 * A caption shown from `startMs` to `endMs`. `text` is WebVTT cue text (W3C WebVTT 4.2.2). `settings` are its valid cue
 * settings.
 */
export type Cue = { startMs: number; endMs: number; settings: string; text: string };

/**
 * Result of reading a caption file. `errors` make the file unusable. `warnings` list what was dropped or fixed. Both
 * contain line numbers, from 1.
 */
export type CaptionFile = { cues: Cue[]; errors: string[]; warnings: string[] };

/** Writes cues as a WebVTT file without style, region or note blocks. */
export function writeVtt(cues: readonly Cue[]): string {
  const blocks = cues.map((cue) => {
    const settings = cue.settings === '' ? '' : ` ${cue.settings}`;
    return `${formatTime(cue.startMs)} --> ${formatTime(cue.endMs)}${settings}\n${cue.text}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** Formats `hh:mm:ss.mmm`, with two or more digits for hours (W3C WebVTT 4.1). */
function formatTime(timeMs: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(timeMs / 1000);
  const millis = String(timeMs % 1000).padStart(3, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${millis}`;
}
