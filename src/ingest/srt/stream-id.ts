import type { Slot } from '../../media/live/publishing/publisher.ts';

/**
 * What a caller's stream id names: a stream key, or a stream by its id, whose key is then the passphrase and is not
 * sent.
 */
export type SrtName = { name: string; slot: Slot };

const ACCESS_CONTROL = '#!::';
/** The same by callers that escape a part of an address which libsrt takes as it is. */
const ESCAPED = '%23';
const LONGEST = 512;

/**
 * Reads a stream id: the name alone, or the access control syntax of SRT (`#!::r=NAME,m=publish`; `slot=backup` takes
 * the place of a backup). Null for what asks to receive, and for what names nothing.
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
    // Not escaped after all.
    return text;
  }
}
