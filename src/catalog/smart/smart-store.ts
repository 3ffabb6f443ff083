import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type FollowUp, type MediaKey, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { addMessages } from '../lifecycle/finalize-store.ts';
import { warningMessage } from '../lifecycle/messages.ts';
import type { CaptionTrack, MediaMessage, MediaState } from '../schema.ts';
import { unknownVideo } from '../unknown-video.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import { fingerprint, mayExtractTitle, mayReplace, openFeatures, requestFeatures, type SmartValues } from './smart.ts';
import type { SmartFeature, SmartGeneration } from './smart-schema.ts';

/** Maximum number of videos of one library with a request in progress. */
const MAX_VIDEOS = 100;

/** Input of the generation: `open` are the requested features that are still to be generated. */
export type SmartSource = {
  state: MediaState;
  title: string;
  durationSec: number;
  captions: readonly CaptionTrack[];
  open: SmartFeature[];
};

type Row = NonNullable<Awaited<ReturnType<typeof selectSmart>>>;

function selectSmart(db: Db, { libraryId, mediaId }: MediaKey, lock: boolean) {
  return db
    .selectFrom('media')
    .select(['state', 'title', 'description', 'chapters', 'moments', 'captions', 'duration_ms', 'smart'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('type', '=', 'video')
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
}

/** Loads the input of a request. Returns null if the video no longer exists. */
export async function loadSmartSource(db: Db, key: MediaKey, request: Guid): Promise<SmartSource | null> {
  const row = await selectSmart(db, key, false);
  if (row === undefined) return null;
  const { state, title, captions, duration_ms, smart } = row;
  return { state, title, durationSec: duration_ms / 1000, captions, open: openFeatures(smart ?? {}, request) };
}

/**
 * Requests features of a video and runs the follow-up, such as sending the job, with the id of the request. Features in
 * progress continue. If all are in progress, the follow-up does not run. Throws `Refused` (`not-found`) for an unknown
 * video.
 */
export async function requestSmart(
  tx: Tx,
  key: MediaKey,
  features: readonly SmartFeature[],
  followUp: (request: Guid) => FollowUp,
): Promise<void> {
  const row = await selectSmart(tx, key, true);
  if (row === undefined) {
    throw unknownVideo(key);
  }
  const request = newGuid();
  const after = requestFeatures(row.smart ?? {}, features, { request, has: valuesOf(row) });
  if (openFeatures(after, request).length === 0) return;
  await saveSmart(tx, key, after);
  await followUp(request)(tx);
}

/** Throws `Refused` (`busy`) if a hundred videos of the library have a request in progress. */
export async function requireSmartRoom(tx: Tx, libraryId: number): Promise<void> {
  // This must be the condition of the index media_smart_open, otherwise PostgreSQL does not use the index.
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from (select from media where library_id = ${libraryId}
      and smart @? '$.* ? (@.state == "queued" || @.state == "in-progress")' limit ${MAX_VIDEOS}) as under_way`.execute(
    tx,
  );
  if ((rows[0]?.open ?? 0) < MAX_VIDEOS) return;
  throw new Refused(
    'busy',
    `Library ${libraryId} is already generating texts for ${MAX_VIDEOS} videos. Send this again later.`,
  );
}

/** Marks a request as in progress. */
export async function beginSmart(db: Db, key: MediaKey, request: Guid): Promise<void> {
  await changeOpen(db, key, request, (entry) => ({ ...entry, state: 'in-progress' }));
}

/** Fails the open features of a request, and records the reason. */
export async function failSmart(db: Db, key: MediaKey, request: Guid, message: MediaMessage): Promise<void> {
  await changeOpen(db, key, request, (entry) => ({ ...entry, state: 'failed' }), message);
}

type Entry = NonNullable<SmartGeneration[SmartFeature]>;

async function changeOpen(
  db: Db,
  key: MediaKey,
  request: Guid,
  change: (entry: Entry) => Entry,
  message?: MediaMessage,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await selectSmart(tx, key, true);
    const smart: SmartGeneration = { ...row?.smart };
    const open = openFeatures(smart, request);
    if (open.length === 0) return;
    for (const feature of open) {
      const entry = smart[feature];
      if (entry !== undefined) smart[feature] = change(entry);
    }
    await saveSmart(tx, key, smart);
    if (message !== undefined) await addMessages(tx, key, [message]);
  });
}

/** Generated texts, and messages about them. `isExtracted`: extracted from the speech, without a model. */
export type GeneratedValues = {
  values: Partial<SmartValues>;
  messages: readonly MediaMessage[];
  isExtracted: boolean;
};

const KEPT_TITLE =
  'The title was kept: without a language model, a generated title only replaces a file name. Set ' +
  'MILLRACE_LANGUAGE_MODEL_URL, or change the title by hand.';

/**
 * Stores generated values and ends the request. Values that a person has set since are kept, and so are those for which
 * nothing was generated (undefined). A title extracted without a model replaces only a file name. Idempotent.
 */
export async function storeSmart(
  db: Db,
  key: MediaKey,
  request: Guid,
  { values, messages, isExtracted }: GeneratedValues,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await selectSmart(tx, key, true);
    const smart: SmartGeneration = { ...row?.smart };
    const open = openFeatures(smart, request);
    if (row === undefined || open.length === 0) return;
    const has = valuesOf(row);
    const stored: Partial<SmartValues> = {};
    const lines = [...messages];
    for (const feature of open) {
      const [entry, value] = [smart[feature], values[feature]];
      if (entry === undefined) continue;
      const isKept = feature === 'title' && isExtracted && !mayExtractTitle(entry, has.title);
      if (isKept) lines.push(warningMessage(KEPT_TITLE, new Date()));
      const isStored = value !== undefined && mayReplace(entry, has[feature]) && !isKept;
      if (isStored) Object.assign(stored, { [feature]: value });
      smart[feature] = { ...entry, state: 'finished', ...(isStored && { made: fingerprint(value) }) };
    }
    await saveSmart(tx, key, smart);
    await saveValues(tx, key, stored);
    await addMessages(tx, key, lines);
    if (Object.keys(stored).length > 0) await bumpPublication(tx, key);
    if (stored.title !== undefined || stored.description !== undefined) {
      await announce(key, WebhookStatus.titleOrDescriptionGenerated)(tx);
    }
  });
}

function valuesOf({ title, description, chapters, moments }: Row): SmartValues {
  return { title, description: description ?? '', chapters, moments };
}

async function saveSmart(tx: Tx, { libraryId, mediaId }: MediaKey, smart: SmartGeneration): Promise<void> {
  await tx
    .updateTable('media')
    .set({ smart: JSON.stringify(smart) })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .execute();
}

async function saveValues(tx: Tx, { libraryId, mediaId }: MediaKey, values: Partial<SmartValues>): Promise<void> {
  const { title, description, chapters, moments } = values;
  if (Object.keys(values).length === 0) return;
  await tx
    .updateTable('media')
    .set({
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(chapters !== undefined && { chapters: JSON.stringify(chapters) }),
      ...(moments !== undefined && { moments: JSON.stringify(moments) }),
    })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .execute();
}

/** A stored rendition as consecutive fragments. */
export type Fragments = { init: Buffer; chunks: StorageKey[] };

/** Finds the lowest H.264 rendition that is completely stored, or null if there is none. */
export async function loadLowestVideo(db: Db, { libraryId, mediaId }: MediaKey): Promise<Fragments | null> {
  const { rows } = await sql<Fragments>`
    select r.init, array(select c.storage_key from chunk c where c.library_id = r.library_id and c.media_id = r.media_id
      and c.rendition_id = r.id order by c.first_segment) as chunks
    from rendition r
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.kind = 'video' and r.active
      and r.state = 'finished' and r.init is not null and r.codec = ${sql.lit(BASE_CODEC)}
    order by r.rung limit 1`.execute(db);
  return rows[0] ?? null;
}
