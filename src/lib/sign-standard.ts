import { createHmac } from 'node:crypto';

/**
 * Returns the headers of Standard Webhooks, which sign id and time with the body, so that a receiver can refuse replays:
 * base64(HMAC-SHA256(`id.timestamp.body`)) under the UTF-8 bytes of each key. Their libraries expect secrets in base64,
 * so a receiver configures `whsec_` and the base64 of the key. `timestamp` is in seconds since 1970.
 */
export function signStandard(
  keys: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const sign = (key: string) => createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map((key) => `v1,${sign(key)}`).join(' '),
  };
}
