import { hmacSha256 } from './digest.ts';

/**
 * Maximum difference between the time of a delivery and the current time, in seconds. Older deliveries may be replays.
 */
const TOLERANCE_SEC = 300;

export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns whether a webhook delivery is genuine and fresh (Standard Webhooks, `webhook-signature`). `body` is the
 * received text, before any parsing. `readOnlyKey` is the library's ReadOnlyApiKey. Deliveries are repeated until
 * acknowledged, so store the `webhook-id` of handled deliveries and ignore repetitions.
 */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  { readOnlyKey, nowSec = Date.now() / 1000 }: { readOnlyKey: string; nowSec?: number },
): Promise<boolean> {
  const read = (name: string) => (headers instanceof Headers ? headers.get(name) : headers[name]?.toString()) ?? '';
  const time = read('webhook-timestamp');
  if (!/^\d+$/.test(time) || Math.abs(nowSec - Number(time)) > TOLERANCE_SEC) return false;
  const content = new TextEncoder().encode(`${read('webhook-id')}.${time}.${body}`);
  const expected = `v1,${btoa(String.fromCharCode(...(await hmacSha256(readOnlyKey, content))))}`;
  return read('webhook-signature')
    .split(' ')
    .some((given) => isSame(given, expected));
}

/** Compares two texts in a time that depends only on their length. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
