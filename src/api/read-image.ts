import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Outbound } from '../lib/outbound/outbound.ts';
import { readBytes } from '../lib/read-bytes.ts';
import { Refused } from '../lib/refused.ts';

const MAX_IMAGE_BYTES = 16 * 2 ** 20;
const FETCH_LIMIT_MS = 20_000;
const IDLE_LIMIT_MS = 10_000;

type Sent = { thumbnailUrl: string; body: IncomingMessage };

/** Sources of images. `own` returns the image if the URL belongs to this installation, or null for any other URL. */
export type ImageOrigins = { outbound: Outbound; own(address: string, signal: AbortSignal): Promise<Buffer | null> };

/**
 * Reads the image that a caller sends: from the URL in the query, or else from the body, which is either the image or
 * JSON with a URL. Throws `Refused`: `invalid` if the request has neither a URL nor an image, `unprocessable` if the
 * URL provides no usable image.
 */
export async function readImage(
  { thumbnailUrl, body }: Sent,
  origins: ImageOrigins,
  signal: AbortSignal,
): Promise<Buffer> {
  if (thumbnailUrl !== '') return fetchImage(thumbnailUrl, origins, signal);
  const bytes = await readBytes(body, { what: 'an image', limitBytes: MAX_IMAGE_BYTES });
  if (bytes.length === 0) throw nothing('got neither');
  // None of the accepted image formats begins like JSON.
  if (!/^(?:\xef\xbb\xbf)?\s*[[{"]/.test(bytes.toString('latin1', 0, 64))) return bytes;
  return fetchImage(readAddress(bytes.toString('utf8')), origins, signal);
}

function readAddress(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused(
      'invalid',
      `Expected an image or JSON with a thumbnailUrl, got text that is neither: ${reason}. Send one of them.`,
      {
        cause: error,
      },
    );
  }
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const address: unknown = fields.find(([name]) => name.toLowerCase() === 'thumbnailurl')?.[1];
  if (typeof address === 'string' && address !== '') return address;
  throw nothing('got JSON without thumbnailUrl');
}

function nothing(received: string): Refused {
  return new Refused(
    'invalid',
    `Expected the URL of an image as thumbnailUrl, or a JPEG, PNG, WebP or AVIF file as the body, ${received}. ` +
      'Send one of them.',
  );
}

async function fetchImage(address: string, { outbound, own }: ImageOrigins, signal: AbortSignal): Promise<Buffer> {
  const stored = await own(address, signal);
  if (stored !== null) return stored;
  try {
    const limits = { maxBytes: MAX_IMAGE_BYTES, timeoutMs: FETCH_LIMIT_MS, idleTimeoutMs: IDLE_LIMIT_MS };
    const answer = await outbound.request(address, { method: 'GET', ...limits }, signal);
    if (answer.status === 200) return await buffer(answer.body);
    answer.body.destroy();
    throw new Refused('unprocessable', `Expected the origin to send the image with status 200, got ${answer.status}.`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // A failure of the origin must not look like a state of this service, such as "busy" or "unavailable".
    const at = address.slice(0, 500);
    const message = `Expected an image at "${at}", but the request failed: ${error.message} Check the URL.`;
    throw new Refused('unprocessable', message, { cause: error });
  }
}
