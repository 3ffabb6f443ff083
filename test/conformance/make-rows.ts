import { createCommentStore } from '../../src/catalog/comments/comment-store.ts';
import { createFeedStore } from '../../src/catalog/feeds/feed-store.ts';
import { createEndpointStore } from '../../src/catalog/webhooks/endpoint-store.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import type { TestApi } from '../support/api.ts';

/** An object of the first library, an object of another library, or one that does not exist. */
export type Which = 'own' | 'foreign' | 'unknown';

/** A GUID that no object has. */
export const UNKNOWN_GUID = '0190a0a0-0000-7000-8000-000000000000';

/** Creates a sign-in provider with a row, because their number is limited. They belong to no library. */
export async function makeProvider(api: TestApi, which: Which): Promise<string> {
  if (which === 'unknown') return UNKNOWN_GUID;
  const id = newGuid();
  const rules = { scopes: 'openid', email_domains: '[]', trusts_email: false, group_roles: '[]' };
  const row = { id, name: 'Made for a test', issuer: 'https://id.example.com', client_id: 'millrace', ...rules };
  await api.database.db.insertInto('sign_in_provider').values(row).execute();
  return id;
}

/** Creates a dead letter, which may be sent again. */
export async function makeWebhookEvent(api: TestApi, which: Which): Promise<string> {
  if (which === 'unknown') return UNKNOWN_GUID;
  const id = newGuid();
  const library = which === 'own' ? 1 : api.second.id;
  const dead = { status: 3, state: 'dead', give_up_at: new Date() } as const;
  const event = { id, library_id: library, media_id: newGuid(), ...dead };
  await api.database.db.insertInto('webhook_event').values(event).execute();
  return id;
}

/** Creates a webhook endpoint that receives nothing. */
export async function makeWebhookEndpoint({ database: { db }, second, secretBox }: TestApi, which: Which) {
  if (which === 'unknown') return UNKNOWN_GUID;
  const fields = { name: 'a', url: 'http://127.0.0.1:9/', events: null, isEnabled: false };
  const endpoints = createEndpointStore({ db, secretBox });
  const libraryId = which === 'own' ? 1 : second.id;
  // A library has at most ten.
  for (const { id } of await endpoints.list(libraryId)) await endpoints.remove({ libraryId, endpointId: id });
  return (await endpoints.create(libraryId, fields)).id;
}

/** Publishes the feed of a collection that was made with the same `which`. Returns the id of the collection. */
export async function makeFeed({ database: { db }, second, secretBox }: TestApi, collectionId: string, which: Which) {
  if (which === 'unknown') return collectionId;
  // The id comes from a response of the service.
  const key = { libraryId: which === 'own' ? 1 : second.id, collectionId: collectionId as Guid };
  await createFeedStore({ db, secretBox }).change(key, { access: 'public' });
  return collectionId;
}

/** Creates an export that has ended, because a library runs one at a time. */
export async function makeExport(api: TestApi, which: Which): Promise<string> {
  if (which === 'unknown') return UNKNOWN_GUID;
  const id = newGuid();
  const libraryId = which === 'own' ? 1 : api.second.id;
  const row = { id, library_id: libraryId, target: 'folder', address: '', destination: Buffer.alloc(0) } as const;
  await api.database.db
    .insertInto('library_export')
    .values({ ...row, state: 'cancelled', concurrency: 1 })
    .execute();
  return id;
}

/** Writes a comment to a video that was made with the same `which`. */
export async function makeComment(
  { database: { db }, second }: TestApi,
  videoId: string,
  which: Which,
): Promise<string> {
  if (which === 'unknown') return UNKNOWN_GUID;
  // The id comes from a response of the service.
  const key = { libraryId: which === 'own' ? 1 : second.id, mediaId: videoId as Guid };
  const author = { kind: 'person', id: 'test', name: 'test' } as const;
  return (await createCommentStore(db).create(key, { text: 'Made for a test', author, place: { atMs: 0 } })).id;
}
