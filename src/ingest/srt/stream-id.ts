import type { Slot } from '../../media/live/publishing/publisher.ts';
import { readKey } from '../../media/live/publishing/read-key.ts';

/**
 * Name in a caller's stream id: a stream key, or the id of a stream. With the id, the stream key is the passphrase of
 * the connection and is not sent.
 */
export type SrtName = { name: string; slot: Slot };

const ACCESS_CONTROL = '#!::';
/** Percent-encoded `#`. Some callers encode this part of the URL, and libsrt does not decode it. */
const ESCAPED = '%23';
const LONGEST = 512;

/**
 * Parses a stream id: a plain name, or SRT access control syntax (`#!::r=NAME,m=publish`, where `slot=backup` selects
 * the backup slot). Returns null if the caller wants to receive media, or the stream id contains no name.
 */
export function readStreamId(sent: string): SrtName | null {
  if (sent.length > LONGEST) return null;
  const streamId = sent.startsWith(ESCAPED) ? unescapeText(sent) : sent;
  if (!streamId.startsWith(ACCESS_CONTROL)) {
    const name = readKey(streamId.replace(/^publish:/, ''));
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
  const name = readKey(fields.get('r') ?? '');
  const mode = fields.get('m') ?? 'publish';
  if (name === '' || mode !== 'publish') return null;
  return { name, slot: fields.get('slot') === 'backup' ? 'backup' : 'primary' };
}

function unescapeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text was not percent-encoded.
    return text;
  }
}
