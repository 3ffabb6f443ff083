import type { Slot } from '../../media/live/publishing/publisher.ts';

/**
 * Name in a caller's stream id: a stream key, or the id of a stream whose key is then the passphrase and is not sent.
 */
export type SrtName = { name: string; slot: Slot };

const ACCESS_CONTROL = '#!::';
/** The same from callers that percent-encode a part of a URL that libsrt uses as it is. */
const ESCAPED = '%23';
const LONGEST = 512;

/**
 * Parses a stream id: just the name, or the access control syntax of SRT (`#!::r=NAME,m=publish`; `slot=backup` selects
 * the backup slot). Returns null if it requests to receive, or names nothing.
 */
export function readStreamId(sent: string): SrtName | null {
  if (sent.length > LONGEST) return null;
  const streamId = sent.startsWith(ESCAPED) ? unescapeText(sent) : sent;
  if (!streamId.startsWith(ACCESS_CONTROL)) {
    const name = streamId.replace(/^(publish[:/]|live\/)/, '');
    return name === '' ? null : { name, slot: 'primary' };
  }
  const fields = new Map(
    streamId
      .slice(ACCESS_CONTROL.length)
      .split(',')
      .map((field) => {
        const [key = '', ...value] = field.split('=');
        return [key.trim(), value.join('=').trim()] as const;
      }),
  );
  const name = fields.get('r') ?? '';
  const mode = fields.get('m') ?? 'publish';
  if (name === '' || mode !== 'publish') return null;
  return { name, slot: fields.get('slot') === 'backup' ? 'backup' : 'primary' };
}

function unescapeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It was not encoded after all.
    return text;
  }
}
