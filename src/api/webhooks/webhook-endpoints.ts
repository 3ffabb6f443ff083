import { Type } from 'typebox';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { EndpointFields, EndpointStore, WebhookEndpoint } from '../../catalog/webhooks/endpoint-store.ts';
import { FIRST_ENDPOINT_ID, WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ok, wireTime } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import {
  CreateWebhookEndpointModel,
  UpdateWebhookEndpointModel,
  WebhookEndpointList,
  WebhookEndpointModel,
} from '../models/webhook.ts';
import { guidParam, LibraryParams } from '../read-params.ts';

type Deps = { webhookEndpoints: EndpointStore };

const PATH = '/library/{libraryId}/webhook-endpoints';
const EndpointParams = Type.Object({ ...LibraryParams.properties, endpointId: guidParam('webhook endpoint') });

/** Not part of the hosted API, like the other operations of endpoints. */
export const listWebhookEndpoints = defineOperation({
  name: 'listWebhookEndpoints',
  method: 'GET',
  path: PATH,
  description:
    'Lists the webhook endpoints of a library with their secrets. Requires a key with write access. The `WebhookUrl` ' +
    'of the library is the first one.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'library.manage',
  params: LibraryParams,
  answer: WebhookEndpointList,
  refusals: { forbidden: 403 },
  async run({ params: { libraryId } }, { webhookEndpoints, libraries }: Deps & { libraries: LibraryStore }) {
    const [library, further] = await Promise.all([libraries.findLibrary(libraryId), webhookEndpoints.list(libraryId)]);
    const url = library?.settings.webhookUrl ?? '';
    return { items: [...(url === '' ? [] : [firstEndpoint(url)]), ...further.map(toEndpointModel)] };
  },
});

export const createWebhookEndpoint = defineOperation({
  name: 'createWebhookEndpoint',
  method: 'POST',
  path: PATH,
  description:
    'Adds a webhook endpoint with its own secret. It receives the events with the given statuses, or all. A library ' +
    'has at most 10 besides its `WebhookUrl`.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  body: CreateWebhookEndpointModel,
  answer: WebhookEndpointModel,
  refusals: { invalid: 400, forbidden: 403 },
  async run({ params: { libraryId }, body }, { webhookEndpoints }: Deps) {
    const wanted = { name: '', events: null, isEnabled: true, ...readEndpointFields(body), url: readUrl(body.url) };
    return toEndpointModel(await webhookEndpoints.create(libraryId, wanted));
  },
});

export const updateWebhookEndpoint = defineOperation({
  name: 'updateWebhookEndpoint',
  method: 'POST',
  path: `${PATH}/{endpointId}`,
  description:
    'Changes a webhook endpoint; absent fields are left unchanged. Change the first one by `WebhookUrl` of the ' +
    'library.',
  auth: 'access-key',
  permission: 'library.manage',
  params: EndpointParams,
  body: UpdateWebhookEndpointModel,
  answer: WebhookEndpointModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, body }, { webhookEndpoints }: Deps) {
    return toEndpointModel(await webhookEndpoints.update(params, readEndpointFields(body)));
  },
});

export const deleteWebhookEndpoint = defineOperation({
  name: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: `${PATH}/{endpointId}`,
  description: 'Deletes a webhook endpoint with its deliveries. Waiting ones are not sent.',
  auth: 'access-key',
  permission: 'library.manage',
  params: EndpointParams,
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params }, { webhookEndpoints }: Deps) {
    await webhookEndpoints.remove(params);
    return ok();
  },
});

function toEndpointModel({
  id,
  name,
  url,
  events,
  isEnabled,
  secret,
  createdAt,
}: WebhookEndpoint): WebhookEndpointModel {
  return {
    ...{ guid: id, name, url, secret, enabled: isEnabled },
    events,
    dateCreated: wireTime(createdAt),
  };
}

function firstEndpoint(url: string): WebhookEndpointModel {
  return { guid: FIRST_ENDPOINT_ID, name: '', url, events: null, enabled: true, secret: null, dateCreated: null };
}

/** Throws `Refused` (`invalid`) for a wrong URL or an unknown event. */
export function readEndpointFields({
  name,
  url,
  events,
  enabled,
}: UpdateWebhookEndpointModel): Partial<EndpointFields> {
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url: readUrl(url) }),
    ...(events !== undefined && { events: events === null ? null : readEvents(events) }),
    ...(enabled !== undefined && { isEnabled: enabled }),
  };
}

function readEvents(events: readonly number[]): number[] {
  const known = Object.values(WebhookStatus) as number[];
  const unknown = events.find((status) => !known.includes(status));
  if (unknown === undefined) return [...new Set(events)];
  throw new Refused('invalid', `Expected events to be statuses of webhooks, got ${unknown}. Correct it.`, {
    field: 'events',
  });
}

function readUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new Refused('invalid', `Expected url to be an http or https URL, got ${quote(text)}. Correct it.`, {
    field: 'url',
  });
}
