import { createHmac } from 'node:crypto';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { signStandard } from '../../lib/sign-standard.ts';
import type { LibrarySettings } from '../libraries/library-settings.ts';

/** Path of the webhook URL in the stored settings of a library, for SQL. */
export const WEBHOOK_URL_SETTING = 'webhookUrl' satisfies keyof LibrarySettings;

/** Event statuses, with the numbers that the hosted API sends. */
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
  liveStarted: 14,
  liveEnded: 15,
  // Not part of the hosted API.
  quotaNearlyReached: 100,
  quotaReached: 101,
} as const;
export type WebhookStatus = (typeof WebhookStatus)[keyof typeof WebhookStatus];

/** The quota of an event, and its use in the unit of the resource. */
export type QuotaDetail = { resource: string; percent: number; used: number; limit: number; mode: 'soft' | 'hard' };

/**
 * A webhook event. It keeps its id when it is retried or resent. `isIncomplete`: the video is finished, but something
 * planned could not be made.
 */
export type WebhookEvent = {
  id: Guid;
  libraryId: number;
  mediaId: Guid;
  status: number;
  isIncomplete: boolean;
  /** Null if the event concerns no quota. */
  detail: QuotaDetail | null;
};

/** The video id in test deliveries; no video has it. */
// The nil GUID of RFC 9562 section 5.9 is a valid GUID.
export const TEST_MEDIA_ID = '00000000-0000-0000-0000-000000000000' as Guid;

/** The endpoint for the `WebhookUrl` in the settings of the library. */
export const FIRST_ENDPOINT_ID = '00000000-0000-0000-0000-000000000000' as Guid;

/** Seconds for which an event is retried after it happened (or was requested again), before it is a dead letter. */
export const GIVE_UP_AFTER_SEC = 3 * 24 * 3600;

const RETRY_SEC = [5, 15, 60, 300, 900, 1800, 3600, 7200, 14_400] as const;

/** Returns the wait after the n-th failed attempt (n from 1): 5 s rising to 4 h. */
export function retryDelaySec(attempts: number): number {
  return RETRY_SEC[Math.min(attempts, RETRY_SEC.length) - 1] ?? RETRY_SEC[0];
}

/**
 * Result of one attempt, with a line for people. `gone`: the receiver refuses further events, so the event becomes a
 * dead letter immediately.
 */
export type Outcome = { kind: 'delivered' | 'failed' | 'gone'; answer: string };

/** Interprets a receiver's status: 2xx is delivered, 410 is "never again" (Standard Webhooks), any other is retried. */
export function judgeStatus(status: number): Outcome {
  const answer = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { kind: 'delivered', answer };
  return { kind: status === 410 ? 'gone' : 'failed', answer };
}

/**
 * Returns the target of a redirect, or null for a status after which a POST does not stay a POST (it does after 301,
 * 302, 307 and 308; RFC 9110 section 15.4 permits it for the first two). Throws `Refused` (`invalid`) for an invalid
 * URL, and for a redirect from https to another scheme.
 */
export function redirectTarget(status: number, location: string | undefined, from: string): string | null {
  if (![301, 302, 307, 308].includes(status) || location === undefined) return null;
  if (!URL.canParse(location, from)) throw new Refused('invalid', `Redirected (HTTP ${status}) to an invalid URL.`);
  const target = new URL(location, from);
  if (from.startsWith('https:') && target.protocol !== 'https:') {
    throw new Refused(
      'invalid',
      `Redirected (HTTP ${status}) from https to ${target.protocol.slice(0, 40)} Set another URL.`,
    );
  }
  return target.href;
}

/**
 * Returns the exact bytes that are sent and signed: compact JSON with Pascal case names. `Incomplete` and
 * `Quota` are not part of the hosted API.
 */
export function webhookBody({ libraryId, mediaId, status, isIncomplete, detail }: WebhookEvent): string {
  const event = { VideoLibraryId: libraryId, VideoGuid: mediaId, Status: status };
  return JSON.stringify({
    ...event,
    ...(isIncomplete && { Incomplete: true }),
    ...(detail && { Quota: quotaOnWire(detail) }),
  });
}

/** Returns the quota of an event as in the body of its delivery. */
export function quotaOnWire({ resource, percent, used, limit, mode }: QuotaDetail) {
  return { Resource: resource, Percent: percent, Used: used, Limit: limit, Mode: mode };
}

/**
 * Returns the headers of a delivery, signed with each of `signingKeys`: the library's current read-only key, then
 * former ones that are still valid, or the secret of an endpoint. The signature of the hosted API covers only the body:
 * hex(HMAC-SHA256(body)) under the current key. The additional Standard Webhooks headers also sign id and time.
 */
export function webhookHeaders(
  event: WebhookEvent,
  signingKeys: readonly string[],
  nowMs: number,
): Record<string, string> {
  const [current = ''] = signingKeys;
  const body = webhookBody(event);
  const timestamp = Math.floor(nowMs / 1000);
  return {
    'Content-Type': 'application/json',
    'X-BunnyStream-Signature-Version': 'v1',
    'X-BunnyStream-Signature-Algorithm': 'hmac-sha256',
    'X-BunnyStream-Signature': createHmac('sha256', current).update(body).digest('hex'),
    ...signStandard(signingKeys, { id: event.id, timestamp, body }),
  };
}
