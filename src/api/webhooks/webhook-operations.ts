import type { Operation } from '../define-operation.ts';
import type { OperationDeps } from '../operation-deps.ts';
import { listWebhookEvents } from './list-webhook-events.ts';
import { resendWebhookEvent } from './resend-webhook-event.ts';
import { testWebhook } from './test-webhook.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts';

/** Operations on the webhook endpoints of a library and their deliveries. */
export const webhookOperations: readonly Operation<OperationDeps>[] = [
  listWebhookEvents,
  resendWebhookEvent,
  testWebhook,
  listWebhookEndpoints,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
];
