const ALLOWED_TAG = /^<(\/?)(c|i|b|u|v|lang|ruby|rt)(?:[.\s][^<>]{0,200})?>$/;
const TIMESTAMP_TAG = /^<(?:\d{2,}:)?\d{2}:\d{2}\.\d{3}>$/;
/** Matches tags and timestamps. Any other number after an angle bracket is text, as in `3 <4 and 5> 4`. */
const ANY_TAG = /<(?:\/?[A-Za-z][^<>]*|(?:\d{2,}:)?\d{2}:\d{2}\.\d{3})>/g;
const ENTITY = /&(?!(?:amp|lt|gt|lrm|rlm|nbsp|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/g;
/** SubStation Alpha codes, which many SubRip files contain. */
const OVERRIDE_CODE = /\{\\[^{}]*\}/g;

/**
 * Makes text safe as WebVTT cue text: keeps WebVTT tags, removes others, and escapes lone `<`, `>` and `&`. `-->`
 * cannot occur in the result.
 */
export function cleanCueText(text: string): string {
  let clean = '';
  let at = 0;
  for (const match of text.matchAll(ANY_TAG)) {
    clean += escapeText(text.slice(at, match.index));
    if (ALLOWED_TAG.test(match[0]) || TIMESTAMP_TAG.test(match[0])) clean += match[0];
    at = match.index + match[0].length;
  }
  return clean + escapeText(text.slice(at));
}

/** Like `cleanCueText`, for SubRip text. Also removes codes such as `{\an8}`. */
export function cleanSubRipText(text: string): string {
  return cleanCueText(text.replace(OVERRIDE_CODE, ''));
}

/** Escapes text that contains no tags. */
export function escapeText(text: string): string {
  return text.replace(ENTITY, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
