import type { WebhookEndpointModel } from '../../../src/api/models/webhook.ts';
import { t } from '../base/language.ts';

/** Sentences for the numbers of WebhookStatus, in the order of a video's life. */
export const EVENTS: readonly (readonly [status: number, label: string])[] = [
  [6, 'Upload started'],
  [7, 'Upload finished'],
  [8, 'Upload failed'],
  [0, 'Video queued'],
  [1, 'Video is being processed'],
  [2, 'Video is being encoded'],
  [4, 'Resolution finished'],
  [3, 'Video ready'],
  [5, 'Video failed'],
  [9, 'Captions generated'],
  [10, 'Title or description generated'],
  [14, 'Live stream started'],
  [15, 'Live stream ended'],
  [100, '80 % of a quota used'],
  [101, 'Quota reached'],
];

/** The GUID of the endpoint in the library's settings, and of the video of test events. */
export const NIL = '00000000-0000-0000-0000-000000000000';

/** Returns the name of an endpoint, or else its host. */
export function nameOfEndpoint({ guid, name, url }: WebhookEndpointModel): string {
  if (name !== '') return name;
  return guid === NIL ? t('Webhook URL of the library') : (URL.parse(url)?.host ?? url);
}
