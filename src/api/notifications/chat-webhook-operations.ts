import type { Db } from '../../catalog/db.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import {
  type ChatWebhook,
  changeChatWebhook,
  deleteChatWebhook,
  findChatWebhook,
  maskUrl,
  noteChatResult,
} from '../../catalog/notifications/chat-webhook-store.ts';
import { postChat } from '../../jobs/notifications/post-chat.ts';
import { writeChatTest } from '../../jobs/notifications/write-message.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { defineOperation, type Operation } from '../define-operation.ts';
import { ok, wireTime } from '../models/answers.ts';
import { ChatWebhookModel, ChatWebhookTestModel, UpdateChatWebhookModel } from '../models/chat-webhook.ts';
import { StatusModel } from '../models/status.ts';
import type { OperationDeps } from '../operation-deps.ts';
import { LibraryParams } from '../read-params.ts';
import { requireUrl } from '../require-url.ts';

type Deps = { db: Db; secretBox: SecretBox };

const PATH = '/library/{libraryId}/chat-webhook';

/** Not part of the hosted API, like the other operations of chat webhooks. */
const getChatWebhook = defineOperation({
  name: 'getChatWebhook',
  method: 'GET',
  path: PATH,
  description:
    'Returns the chat to which a library posts notifications, and the last failure. Requires a key with write access.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'library.manage',
  params: LibraryParams,
  answer: ChatWebhookModel,
  refusals: { forbidden: 403 },
  run: async ({ params: { libraryId } }, deps: Deps) => toModel(await findChatWebhook(deps, libraryId)),
});

const updateChatWebhook = defineOperation({
  name: 'updateChatWebhook',
  method: 'POST',
  path: PATH,
  description:
    'Posts notifications of a library to an incoming webhook of Slack, Mattermost or Discord (with `/slack` at the ' +
    'end of its URL). Absent fields are left unchanged.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  body: UpdateChatWebhookModel,
  answer: ChatWebhookModel,
  refusals: { invalid: 400, forbidden: 403 },
  async run({ params: { libraryId }, body }, deps: Deps) {
    if (body.url !== undefined) requireUrl('url', body.url);
    await changeChatWebhook(deps, libraryId, (before) => ({
      url: body.url ?? before?.url ?? refuseNoUrl(),
      events: body.events === undefined ? (before?.events ?? ['ready', 'failed']) : [...new Set(body.events)],
      language: body.language ?? before?.language ?? 'en',
      isEnabled: body.enabled ?? before?.isEnabled ?? true,
    }));
    return toModel(await findChatWebhook(deps, libraryId));
  },
});

const removeChatWebhook = defineOperation({
  name: 'deleteChatWebhook',
  method: 'DELETE',
  path: PATH,
  description: 'Deletes the chat webhook of a library. Waiting messages are not sent.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  answer: StatusModel,
  refusals: { forbidden: 403 },
  async run({ params: { libraryId } }, deps: Deps) {
    await deleteChatWebhook(deps, libraryId);
    return ok();
  },
});

const testChatWebhook = defineOperation({
  name: 'testChatWebhook',
  method: 'POST',
  path: `${PATH}/test`,
  description: 'Posts a test message to the chat of a library, once, and returns the result.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  answer: ChatWebhookTestModel,
  refusals: { forbidden: 403, conflict: 409 },
  async run({ params: { libraryId }, signal }, deps: Deps & { libraries: LibraryStore; outbound: Outbound }) {
    const chat = await findChatWebhook(deps, libraryId);
    if (chat === null) throw new Refused('conflict', 'The library has no chat webhook. Set its URL first.');
    const library = await deps.libraries.findLibrary(libraryId);
    const text = writeChatTest(library?.name ?? '', chat.language);
    const error = await postChat({ url: chat.url, text }, deps.outbound, signal);
    await noteChatResult(deps.db, libraryId, error);
    return { delivered: error === null, error };
  },
});

/** Operations on the chat webhook of a library. */
export const chatWebhookOperations: readonly Operation<OperationDeps>[] = [
  getChatWebhook,
  updateChatWebhook,
  removeChatWebhook,
  testChatWebhook,
];

function toModel(chat: ChatWebhook | null): ChatWebhookModel {
  return {
    maskedUrl: chat && maskUrl(chat.url),
    events: chat?.events ?? ['ready', 'failed'],
    // The operation that stores it accepts only known languages.
    language: (chat?.language ?? 'en') as ChatWebhookModel['language'],
    enabled: chat?.isEnabled ?? false,
    dateSent: chat?.lastSentAt ? wireTime(chat.lastSentAt) : null,
    lastError: chat?.lastError ?? null,
    dateFailed: chat?.lastErrorAt ? wireTime(chat.lastErrorAt) : null,
  };
}

function refuseNoUrl(): never {
  throw new Refused('invalid', 'Expected url, because the library has no chat webhook yet. Add it.', { field: 'url' });
}
