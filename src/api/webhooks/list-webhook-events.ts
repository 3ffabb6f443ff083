import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { quotaOnWire } from '../../catalog/webhooks/webhook.ts';
import { listEvents, type WebhookLogEntry } from '../../catalog/webhooks/webhook-store.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import { PaginationListOfWebhookEventModel, type WebhookEventModel } from '../models/webhook.ts';
import { LibraryParams } from '../read-params.ts';
import { PAGING, queryGuid, queryWord } from '../read-query.ts';

const STATES = ['pending', 'delivered', 'dead'] as const;

/**
 * The delivery log of a library's webhooks, newest first. `state` filters by pending, delivered or dead, `endpoint` by
 * endpoint. Without them, all events are listed.
 */
export const listWebhookEvents = defineOperation({
  name: 'listWebhookEvents',
  method: 'GET',
  path: '/library/{libraryId}/webhooks',
  description: 'Lists the webhook events of a library with their delivery state, newest first.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  query: Type.Object({ ...PAGING, state: queryWord('', STATES), endpoint: queryGuid() }),
  answer: PaginationListOfWebhookEventModel,
  async run({ params: { libraryId }, query }, { db }: { db: Db }) {
    const { page, itemsPerPage } = query;
    const state = query.state === '' ? null : query.state;
    const endpointId = query.endpoint === '' ? null : query.endpoint;
    const range = { limit: itemsPerPage, offset: (page - 1) * itemsPerPage };
    const { total, entries } = await listEvents(db, { libraryId, state, endpointId, ...range });
    return { totalItems: total, currentPage: page, itemsPerPage, items: entries.map(toEventModel) };
  },
});

function toEventModel(entry: WebhookLogEntry): WebhookEventModel {
  return {
    videoLibraryId: entry.libraryId,
    guid: entry.id,
    endpointGuid: entry.endpointId,
    videoGuid: entry.mediaId,
    // Stored events have only statuses of this enumeration.
    status: entry.status as WebhookEventModel['status'],
    quota: entry.detail && quotaOnWire(entry.detail),
    state: entry.state,
    attempts: entry.attempts,
    lastAnswer: entry.lastAnswer,
    dateCreated: wireTime(entry.createdAt),
    dateNextAttempt: entry.nextAttemptAt && wireTime(entry.nextAttemptAt),
    dateSettled: entry.settledAt && wireTime(entry.settledAt),
  };
}
