import { hmacSha256 } from './digest.ts';

/** How far a delivery's time may be off: what is older may be a replay. */
const TOLERANCE_SEC = 300;

export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether a webhook's delivery is genuine and fresh (Standard Webhooks, `webhook-signature`). `body` is the text as it
 * arrived, before any parser; `readOnlyKey` the library's ReadOnlyApiKey. Deliveries are repeated until answered: keep
 * the `webhook-id` of those handled.
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

/** Compares in a time that depends on the length alone. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
