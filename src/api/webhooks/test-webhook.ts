import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { FIRST_ENDPOINT_ID } from '../../catalog/webhooks/webhook.ts';
import { requestTest } from '../../catalog/webhooks/webhook-store.ts';
import { defineOperation } from '../define-operation.ts';
import { WebhookTestModel } from '../models/webhook.ts';
import { LibraryParams } from '../read-params.ts';
import { queryGuid } from '../read-query.ts';

/**
 * Requests a test delivery to an endpoint of the library: a signed request with Status 0 for the video
 * 00000000-0000-0000-0000-000000000000, which is attempted once. The delivery log shows the result.
 */
export const testWebhook = defineOperation({
  name: 'testWebhook',
  method: 'POST',
  path: '/library/{libraryId}/webhooks/test',
  description:
    'Sends a test event to the webhook URL of a library, or to another endpoint. The delivery log shows the result.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  query: Type.Object({ endpoint: queryGuid() }),
  auditedQuery: { endpoint: 'endpointId' },
  answer: WebhookTestModel,
  refusals: { invalid: 400, forbidden: 403 },
  async run({ params: { libraryId }, query: { endpoint } }, { db }: { db: Db }) {
    return { guid: await requestTest(db, libraryId, endpoint || FIRST_ENDPOINT_ID) };
  },
});
