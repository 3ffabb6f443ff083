import { type Selectable, sql } from 'kysely';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import type { NotificationEvent } from './notification.ts';
import type { ChatWebhookTable } from './notification-schema.ts';

const ERROR_CHARS = 300;

/** Incoming webhook of a chat that accepts Slack's messages. `lastError` is null since the last delivered message. */
export type ChatWebhook = {
  url: string;
  events: NotificationEvent[];
  language: string;
  isEnabled: boolean;
  lastSentAt: Date | null;
  lastError: string | null;
  lastErrorAt: Date | null;
};

export type ChatWebhookFields = Pick<ChatWebhook, 'url' | 'events' | 'language' | 'isEnabled'>;

type Deps = { db: Db; secretBox: SecretBox };

/** Returns the chat webhook of a library, or null if it has none. */
export async function findChatWebhook({ db, secretBox }: Deps, libraryId: number): Promise<ChatWebhook | null> {
  const row = await db.selectFrom('chat_webhook').selectAll().where('library_id', '=', libraryId).executeTakeFirst();
  return row === undefined ? null : toChatWebhook(row, secretBox);
}

/**
 * Creates or changes the chat webhook of a library. `fill` receives the current one, or null, and returns the fields of
 * the new one. A new URL starts without failures.
 */
export async function changeChatWebhook(
  { db, secretBox }: Deps,
  libraryId: number,
  fill: (before: ChatWebhook | null) => ChatWebhookFields,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.selectFrom('library').select('id').where('id', '=', libraryId).forNoKeyUpdate().execute();
    const before = await findChatWebhook({ db: tx, secretBox }, libraryId);
    const after = fill(before);
    const { url, events, language, isEnabled } = after;
    const isNew = before?.url !== url;
    const row = {
      ...{ events, language, is_enabled: isEnabled },
      ...(isNew && { url_sealed: secretBox.seal(url), last_sent_at: null, last_error: null, last_error_at: null }),
    };
    await tx
      .insertInto('chat_webhook')
      .values({ library_id: libraryId, url_sealed: secretBox.seal(url), ...row })
      .onConflict((conflict) => conflict.column('library_id').doUpdateSet(row))
      .execute();
    noteChange({ kind: 'fields', before: before && auditedFields(before), after: auditedFields(after) });
    // The audit log shows masked URLs, which may be equal before and after a change.
    if (before !== null && isNew) noteChange({ kind: 'secret', field: 'ChatUrl' });
  });
}

/** Deletes the chat webhook of a library with its waiting messages. Does nothing if there is none. */
export async function deleteChatWebhook({ db, secretBox }: Deps, libraryId: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await tx
      .deleteFrom('chat_webhook')
      .where('library_id', '=', libraryId)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return;
    noteChange({ kind: 'fields', before: auditedFields(toChatWebhook(row, secretBox)), after: null });
    await tx
      .deleteFrom('notification_summary')
      .where('library_id', '=', libraryId)
      .where('state', '=', 'pending')
      .execute();
  });
}

/** Stores the result of a message: null if it was delivered, otherwise the reason of the failure. */
export async function noteChatResult(db: Db, libraryId: number, error: string | null): Promise<void> {
  const result =
    error === null
      ? { last_sent_at: sql<Date>`now()`, last_error: null, last_error_at: null }
      : { last_error: error.slice(0, ERROR_CHARS), last_error_at: sql<Date>`now()` };
  await db.updateTable('chat_webhook').set(result).where('library_id', '=', libraryId).execute();
}

const SHOWN_CHARS = 4;
const MIN_HIDDEN_CHARS = 12;

/** Returns a URL with its path and query masked, except for the last characters of a long one. */
export function maskUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const secret = `${pathname}${search}`;
  const end = secret.length >= MIN_HIDDEN_CHARS + SHOWN_CHARS ? secret.slice(-SHOWN_CHARS) : '';
  return `${origin}/…${end}`;
}

function auditedFields({ url, events, language, isEnabled }: ChatWebhookFields) {
  return { ChatUrl: maskUrl(url), ChatEvents: events, Language: language, enabled: isEnabled };
}

function toChatWebhook(row: Selectable<ChatWebhookTable>, secretBox: SecretBox): ChatWebhook {
  return {
    url: secretBox.open(row.url_sealed),
    events: row.events,
    language: row.language,
    isEnabled: row.is_enabled,
    lastSentAt: row.last_sent_at,
    lastError: row.last_error,
    lastErrorAt: row.last_error_at,
  };
}
