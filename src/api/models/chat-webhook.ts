import { type Static, Type } from 'typebox';
import { NOTIFICATION_EVENTS, NOTIFICATION_LANGUAGES } from '../../catalog/notifications/notification.ts';
import { dateTime, flag, model, nullable, text, words } from './fields.ts';

export const NotificationEvent = words('NotificationEvent', NOTIFICATION_EVENTS);
export const NotificationLanguage = words('NotificationLanguage', NOTIFICATION_LANGUAGES);

/** The chat webhook of a library. Its URL is a secret, so it is shown masked. Not part of the hosted API. */
export const ChatWebhookModel = model('ChatWebhookModel', {
  maskedUrl: nullable(text()),
  events: Type.Array(NotificationEvent),
  language: NotificationLanguage,
  enabled: flag(),
  dateSent: nullable(dateTime()),
  lastError: nullable(text()),
  dateFailed: nullable(dateTime()),
});
export type ChatWebhookModel = Static<typeof ChatWebhookModel>;

export const UpdateChatWebhookModel = model('UpdateChatWebhookModel', {
  url: Type.Optional(text({ minLength: 1, maxLength: 2_000 })),
  events: Type.Optional(Type.Array(NotificationEvent, { minItems: 1, maxItems: NOTIFICATION_EVENTS.length })),
  language: Type.Optional(NotificationLanguage),
  enabled: Type.Optional(flag()),
});
export type UpdateChatWebhookModel = Static<typeof UpdateChatWebhookModel>;

/** Result of a test message. `error` is null if it was delivered. */
export const ChatWebhookTestModel = model('ChatWebhookTestModel', { delivered: flag(), error: nullable(text()) });
