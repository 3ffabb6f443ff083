import type { Static } from 'typebox';
import { WebhookStatus } from './enums.ts';
import { int64, model, text } from './fields.ts';

export const WebhookPayload = model('WebhookPayload', {
  VideoLibraryId: int64(),
  VideoGuid: text(),
  Status: WebhookStatus,
});
export type WebhookPayload = Static<typeof WebhookPayload>;
