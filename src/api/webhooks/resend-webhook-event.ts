import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { resendEvent } from '../../catalog/webhooks/webhook-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { guidParam, LibraryParams } from '../read-params.ts';

/** Sends an event again with the same id, whether it is dead, delivered or waiting for its next attempt. */
export const resendWebhookEvent = defineOperation({
  name: 'resendWebhookEvent',
  method: 'POST',
  path: '/library/{libraryId}/webhooks/{eventId}/resend',
  description: 'Sends a webhook event again.',
  auth: 'access-key',
  permission: 'library.manage',
  params: Type.Object({ ...LibraryParams.properties, eventId: guidParam('webhook event') }),
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, eventId } }, { db }: { db: Db }) {
    await resendEvent(db, libraryId, eventId);
    return ok();
  },
});
