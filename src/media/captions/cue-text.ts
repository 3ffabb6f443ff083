const ALLOWED_TAG = /^<(\/?)(c|i|b|u|v|lang|ruby|rt)(?:[.\s][^<>]{0,200})?>$/;
const TIMESTAMP_TAG = /^<(?:\d{2,}:)?\d{2}:\d{2}\.\d{3}>$/;
const ANY_TAG = /<[^<>]*>/g;
const ENTITY = /&(?!(?:amp|lt|gt|lrm|rlm|nbsp|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/g;
const POSITION_CODE = /\{\\an?\d\}/g;

/**
 * Makes text safe WebVTT cue text: the tags of WebVTT stay, others are removed, lone `<`, `>`
 * and `&` are escaped, `-->` cannot occur.
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

/** The same for SubRip text, whose positioning codes such as `{\an8}` have no place in WebVTT text. */
export function cleanSubRipText(text: string): string {
  return cleanCueText(text.replace(POSITION_CODE, ''));
}

function escapeText(text: string): string {
  return text.replace(ENTITY, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
