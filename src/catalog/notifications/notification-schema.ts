import type { Generated, GeneratedAlways } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt, Json } from '../account-schema.ts';
import type { EventCount, NotificationEvent, NotificationItem } from './notification.ts';

/** An event about which people and chats may be notified. `is_routed`: the messages of all who want it contain it. */
export type NotificationTable = {
  position: GeneratedAlways<number>;
  library_id: number;
  /** Id of the video or stream. For quota events, an id that represents the library. */
  media_id: Guid;
  event: NotificationEvent;
  /** Null unless the event concerns a quota. */
  resource: string | null;
  is_routed: Generated<boolean>;
  created_at: CreatedAt;
};

/** People without a row have the default choices. */
export type NotificationChoiceTable = { person_id: Guid; browser: NotificationEvent[]; email: NotificationEvent[] };

/** Incoming webhook of a chat, such as Slack, for one library. Its URL is a secret. */
export type ChatWebhookTable = {
  library_id: number;
  url_sealed: Buffer;
  events: NotificationEvent[];
  language: string;
  is_enabled: boolean;
  last_sent_at: Date | null;
  /** The last failure since the last delivered message. */
  last_error: string | null;
  last_error_at: Date | null;
};

/**
 * A message to the chat of a library or to a person. It has exactly one of both ids, and grows until it is sent.
 * Leased while `claim` is set and the next attempt is in the future.
 */
export type NotificationSummaryTable = {
  id: Guid;
  library_id: number | null;
  person_id: Guid | null;
  counts: Json<EventCount[]>;
  items: Json<NotificationItem[]>;
  state: Generated<'pending' | 'delivered' | 'dead'>;
  attempts: Generated<number>;
  claim: Guid | null;
  next_attempt_at: Date;
  give_up_at: Date;
  created_at: CreatedAt;
};

export type NotificationSchema = {
  notification: NotificationTable;
  notification_choice: NotificationChoiceTable;
  chat_webhook: ChatWebhookTable;
  notification_summary: NotificationSummaryTable;
};
