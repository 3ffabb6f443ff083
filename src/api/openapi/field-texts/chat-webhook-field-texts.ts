import type { FieldTexts } from './field-texts.ts';

const FIELDS = {
  events:
    'Events that are posted. `ready`: a video is ready. `failed`: a video failed. `live`: a live stream started. ' +
    '`quota`: a quota was reached.',
  language: 'Language of the messages.',
  enabled: 'Whether messages are posted.',
};

/** Descriptions of the fields of chat webhooks. */
export const CHAT_WEBHOOK_FIELD_TEXTS: FieldTexts = {
  ChatWebhookModel: {
    ...FIELDS,
    maskedUrl: 'URL with a masked path. Null if the library has no chat webhook.',
    dateSent: 'Time of the last delivered message.',
    lastError: 'Reason why the last message failed. Null if it was delivered.',
    dateFailed: 'Time of the last failure.',
  },
  UpdateChatWebhookModel: {
    ...FIELDS,
    url: 'URL of an incoming webhook of Slack, Mattermost, or Discord with `/slack` at its end. Required at first.',
  },
  ChatWebhookTestModel: {
    delivered: 'Whether the chat accepted the message.',
    error: 'Reason why it did not. Null if it did.',
  },
};
