import { cleanText } from './clean-text.ts';

/** Characters that override or isolate the direction of the text after them (Unicode UAX #9, section 2). */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/gu;
/** Characters that are drawn as nothing. The last one is the empty Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Returns whether a reader can see something of a text. */
export function isVisible(text: string): boolean {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replaceAll(INVISIBLE, ''));
}

/**
 * Reads a title or name: one line without control characters and line breaks, and without characters that make it look
 * like another text. Returns an empty string if nothing of it is visible.
 */
export function readLine(sent: string): string {
  const line = cleanText(sent)
    .replaceAll(BIDI_CONTROLS, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  return isVisible(line) ? line : '';
}

/** Reads a text like `readLine`, but keeps line breaks (written as `\n`) and tabs. */
export function readLines(sent: string): string {
  const lines = cleanText(sent).replaceAll(/\r\n?/g, '\n').replaceAll(BIDI_CONTROLS, '');
  const text = lines.replaceAll(/\p{Cc}/gu, (found) => (found === '\n' || found === '\t' ? found : ''));
  return isVisible(text) ? text : '';
}
