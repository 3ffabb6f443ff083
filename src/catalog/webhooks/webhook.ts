import { createHmac } from 'node:crypto';
import type { Guid } from '../../lib/guid.ts';

/** What happened to a video, as receivers number it (wire facts, section 4). */
export const WebhookStatus = {
  queued: 0,
  processing: 1,
  encoding: 2,
  finished: 3,
  resolutionFinished: 4,
  failed: 5,
  presignedUploadStarted: 6,
  presignedUploadFinished: 7,
  presignedUploadFailed: 8,
  captionsGenerated: 9,
  titleOrDescriptionGenerated: 10,
} as const;
export type WebhookStatus = (typeof WebhookStatus)[keyof typeof WebhookStatus];

export type WebhookEvent = { id: Guid; libraryId: number; mediaId: Guid; status: number };

/** Events are tried for this long after they happened, then they are dead letters. */
export const GIVE_UP_AFTER_MS = 3 * 24 * 3_600_000;

const RETRY_SEC = [5, 15, 60, 300, 900, 1800, 3600, 7200, 14_400] as const;

/** How long to wait after the n-th failed attempt (n from 1): 5 s rising to 4 h. */
export function retryDelaySec(attempts: number): number {
  return RETRY_SEC[Math.min(attempts, RETRY_SEC.length) - 1] ?? RETRY_SEC[0];
}

/** The exact bytes that are sent and signed: compact JSON with Pascal case names. */
export function webhookBody({ libraryId, mediaId, status }: WebhookEvent): string {
  return JSON.stringify({ VideoLibraryId: libraryId, VideoGuid: mediaId, Status: status });
}

/**
 * The headers of a delivery. The interface's own signature covers the body alone: hex(HMAC-SHA256(body)) under the
 * library's read-only key. The Standard Webhooks headers beside it also sign id and time, so that a receiver can
 * refuse replays: base64(HMAC-SHA256(`id.timestamp.body`)) under the same key.
 */
export function webhookHeaders(event: WebhookEvent, readOnlyKey: string, nowMs: number): Record<string, string> {
  const body = webhookBody(event);
  const timestamp = String(Math.floor(nowMs / 1000));
  const standard = createHmac('sha256', readOnlyKey).update(`${event.id}.${timestamp}.${body}`).digest('base64');
  return {
    'Content-Type': 'application/json',
    'X-BunnyStream-Signature-Version': 'v1',
    'X-BunnyStream-Signature-Algorithm': 'hmac-sha256',
    'X-BunnyStream-Signature': createHmac('sha256', readOnlyKey).update(body).digest('hex'),
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  };
}
