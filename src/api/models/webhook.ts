import { type Static, Type } from 'typebox';
import { WebhookStatus } from './enums.ts';
import { dateTime, flag, int32, int64, line, model, nullable, text, words } from './fields.ts';

export const WebhookPayload = model('WebhookPayload', {
  VideoLibraryId: int64(),
  VideoGuid: text(),
  Status: WebhookStatus,
});
export type WebhookPayload = Static<typeof WebhookPayload>;

export const WebhookEventState = words('WebhookEventState', ['pending', 'delivered', 'dead']);

/** The quota of an event, as in the body of its delivery. */
export const WebhookQuotaModel = model('WebhookQuotaModel', {
  Resource: text(),
  Percent: int32(),
  Used: int64(),
  Limit: int64(),
  Mode: text(),
});

/** A line of the delivery log; `guid` is the webhook-id of the delivery. */
export const WebhookEventModel = model('WebhookEventModel', {
  videoLibraryId: int64(),
  guid: text(),
  endpointGuid: text(),
  videoGuid: text(),
  status: WebhookStatus,
  /** Null if the event concerns no quota. */
  quota: nullable(WebhookQuotaModel),
  state: WebhookEventState,
  attempts: int32(),
  /** Last response of the receiver, or the reason why it was not reached. */
  lastAnswer: nullable(text()),
  dateCreated: dateTime(),
  /** Null for final events, and for events that wait behind an earlier one of their video. */
  dateNextAttempt: nullable(dateTime()),
  dateSettled: nullable(dateTime()),
});
export type WebhookEventModel = Static<typeof WebhookEventModel>;

export const PaginationListOfWebhookEventModel = model('PaginationListOfWebhookEventModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(WebhookEventModel),
});

export const WebhookTestModel = model('WebhookTestModel', {
  /** The webhook-id of the test. The delivery log shows its result. */
  guid: text(),
});

const name = () => line({ maxLength: 100 });
const url = () => text({ minLength: 1, maxLength: 2_000 });
/** Null for all events. */
const events = () => nullable(Type.Array(int32({ minimum: 0 }), { minItems: 1, maxItems: 20 }));

/** An endpoint. The first one is the `WebhookUrl` of the library and has the nil GUID. */
export const WebhookEndpointModel = model('WebhookEndpointModel', {
  guid: text(),
  name: text(),
  url: text(),
  events: nullable(Type.Array(int32())),
  enabled: flag(),
  secret: nullable(text()),
  dateCreated: nullable(dateTime()),
});
export type WebhookEndpointModel = Static<typeof WebhookEndpointModel>;

export const WebhookEndpointList = model('WebhookEndpointList', { items: Type.Array(WebhookEndpointModel) });

export const CreateWebhookEndpointModel = model('CreateWebhookEndpointModel', {
  url: url(),
  name: Type.Optional(name()),
  events: Type.Optional(events()),
  enabled: Type.Optional(flag()),
});
export type CreateWebhookEndpointModel = Static<typeof CreateWebhookEndpointModel>;

export const UpdateWebhookEndpointModel = model('UpdateWebhookEndpointModel', {
  url: Type.Optional(url()),
  name: Type.Optional(name()),
  events: Type.Optional(events()),
  enabled: Type.Optional(flag()),
});
export type UpdateWebhookEndpointModel = Static<typeof UpdateWebhookEndpointModel>;
