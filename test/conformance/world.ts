import { sql } from 'kysely';
import pg from 'pg';
import type { ApiDeps } from '../../src/api/start-api.ts';
import { createKeyStore } from '../../src/catalog/keys/key-store.ts';
import { createShareStore } from '../../src/catalog/shares/share-store.ts';
import { writeCursor } from '../../src/catalog/shield/events/event-cursor.ts';
import { dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { type Answer, type CallOptions, CURSOR_SECRET, startTestApi, type TestApi } from '../support/api.ts';
import { invite } from '../support/people.ts';
import { addRows } from '../support/rendition-rows.ts';
import { wordDate } from '../support/shield-events.ts';
import { type Origin, serve, startOrigin } from '../uploads/origin.ts';
import { expectGoodManners } from './check-answer.ts';
import type { Real } from './interface-data.ts';
import * as rows from './make-rows.ts';
import { CAPTIONS } from './samples.ts';

/** A request as specified by a test. */
export type Ask = { method: string; path: string } & CallOptions;

/** The API over a real database with two libraries, an origin to fetch from, and all objects that operations need. */
export type World = {
  api: TestApi;
  origin: Origin;
  keys: Awaited<ReturnType<typeof makeKeys>>;
  /** Sends a request, by default with the first library's key. Checks the properties that all responses share. */
  ask(ask: Ask): Promise<Answer>;
  /** Returns the key that an operation is meant for. */
  properKey(operation: Real): string | null;
  /** Returns a URL of the operation. Creates each object in its path, in the first library by default. */
  address(operation: Real, which?: rows.Which): Promise<string>;
  makeVideo(which?: rows.Which): Promise<string>;
  /** Creates a video whose upload has finished. */
  makeUploaded(): Promise<string>;
  /**
   * Returns everything that is stored, as one text per table and one for the objects. Refused requests must not change
   * it.
   */
  state(): Promise<Record<string, string>>;
  stop(): Promise<void>;
};

/** Sets up the preconditions and returns the request that then gets the status. */
export type Scenario = (world: World) => Promise<Omit<Ask, 'method'>>;

export const UNKNOWN_ID = 987_654;

/** Tables written regardless of the response: last use of a key, the audit log, and the firewall's log. */
const NOT_STATE = /^(kysely_|access_key$|audit|shield_event)/;

export async function startWorld(changes: Partial<ApiDeps> = {}): Promise<World> {
  // Resolves every name to this machine, without DNS lookups.
  const lookup = async () => [{ address: '192.0.2.1', family: 4 }];
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], lookup });
  const [api, origin] = await Promise.all([startTestApi({ outbound, ...changes }), startOrigin()]);
  origin.script(serve(Buffer.from('bytes of a file')));
  const keys = await makeKeys(api);
  const ask = async ({ method, path, ...options }: Ask) => {
    const answer = await call(method, `${api.url}${path}`, { key: api.first.libraryKey, ...options });
    expectGoodManners(answer);
    return answer;
  };
  const things = createThings(api, ask);
  const watcher = await openWatcher(api);
  return {
    api,
    origin,
    keys,
    ask,
    properKey: ({ auth }) => (auth === 'account-key' ? keys.account : auth === 'none' ? null : keys.own),
    address: (operation, which = 'own') => things.address(operation, which),
    makeVideo: (which = 'own') => things.make('video', which),
    async makeUploaded() {
      const guid = await things.make('video', 'own');
      await ask({ method: 'PUT', path: `/library/1/videos/${guid}`, body: Buffer.from('bytes of a video') });
      return guid;
    },
    state: () => readState(api, watcher),
    async stop() {
      await watcher.client.end();
      await Promise.all([api.stop(), origin.stop()]);
      await outbound.close();
    },
  };
}

async function makeKeys(api: TestApi) {
  const store = createKeyStore(api.database.db);
  const make = async (scope: 'write' | 'read', expiresAt: Date | null = null) =>
    store.create({ scope, libraryId: 1, label: 'test', expiresAt });
  const [write, read, revoked] = [await make('write'), await make('read'), await make('write')];
  const expired = await make('write', new Date(Date.now() - 1000));
  await store.revoke(1, revoked.id);
  return {
    own: api.first.libraryKey,
    furtherWrite: write.key,
    readOnly: api.first.readOnlyKey,
    furtherRead: read.key,
    foreign: api.second.key,
    account: String(api.first.accountKey),
    revoked: revoked.key,
    expired: expired.key,
  };
}

type Things = {
  make(what: string, which: rows.Which): Promise<string>;
  address(operation: Real, which: rows.Which): Promise<string>;
};

/** Creates the objects in paths, keyed by the parameter's name in refusals. */
function createThings(api: TestApi, ask: World['ask']): Things {
  const create = async (what: string, body: object, which: rows.Which) => {
    if (which === 'unknown') return rows.UNKNOWN_GUID;
    const [library, key] = which === 'own' ? [1, api.first.libraryKey] : [api.second.id, api.second.key];
    const answer = await ask({ method: 'POST', path: `/library/${library}/${what}`, key, body });
    return String(Object(answer.body).guid);
  };
  const library = async (which: rows.Which) => {
    if (which === 'unknown') return UNKNOWN_ID;
    return (await api.libraries.create({ name: 'Made for a test', pullZoneName: null, libraryKey: null })).library;
  };
  const trashed = async (which: rows.Which) => {
    const guid = await create('videos', { title: 'Made for a test' }, which);
    const [library, key] = which === 'own' ? [1, api.first.libraryKey] : [api.second.id, api.second.key];
    await ask({ method: 'DELETE', path: `/library/${library}/videos/${guid}?trash=true`, key });
    return guid;
  };
  const makers: Record<string, (which: rows.Which) => Promise<string>> = {
    video: (which) => create('videos', { title: 'Made for a test' }, which),
    'live stream': (which) => create('live', { title: 'Made for a test' }, which),
    'video in the trash': trashed,
    'bulk operation': (which) => create('bulk', { action: 'retry', videoIds: [rows.UNKNOWN_GUID] }, which),
    import: (which) => makeImport(api, which),
    export: (which) => rows.makeExport(api, which),
    process: (which) => makeProcess(api, which),
    'shield zone': async (which) => String(Object(await library(which)).pullZone?.id ?? UNKNOWN_ID),
    collection: (which) => create('collections', { name: 'Made for a test' }, which),
    library: async (which) => String(Object(await library(which)).id ?? UNKNOWN_ID),
    'pull zone': async (which) => String(Object(await library(which)).pullZone?.id ?? UNKNOWN_ID),
    language: async () => 'en',
    codec: async () => 'x264',
    'audio track': async () => 'file-1',
    shieldZoneId: async (which) => (which === 'unknown' ? String(UNKNOWN_ID) : '1'),
    date: async () => wordDate(dayOf(Date.now())),
    continuationToken: async () => writeCursor({ zoneId: 1, day: dayOf(Date.now()), afterSeq: 0 }, CURSOR_SECRET),
    'webhook event': (which) => rows.makeWebhookEvent(api, which),
    'webhook endpoint': (which) => rows.makeWebhookEndpoint(api, which),
    person: (which) => makePerson(api, which),
    'sign-in provider': (which) => rows.makeProvider(api, which),
  };
  const make = (what: string, which: rows.Which) => {
    const maker = makers[what];
    if (maker === undefined)
      throw new Error(`Add a function that creates a ${what} to world.ts, because an operation needs one.`);
    return maker(which);
  };
  return {
    make,
    async address({ path, params }, which) {
      const made: Record<string, string> = {};
      for (const [name, { title = name }] of Object.entries<{ title?: string }>(params.properties)) {
        if (name === 'libraryId') made[name] = '1';
        // A key belongs to the library, and a share or comment to the video or collection, that precedes it.
        else if (title === 'share') made[name] = await makeShare(api, made, which);
        else if (title === 'comment') made[name] = await rows.makeComment(api, made.videoId ?? '', which);
        else if (title === 'key') made[name] = await makeKey(api, Number(made.id), which);
        else made[name] = await make(title, which);
        if (name === 'collectionId' && path.startsWith('/feeds/')) await rows.makeFeed(api, made[name], which);
        if (title === 'language' && which === 'own') await addCaptions(made, ask);
        if (title === 'audio track' && which === 'own') await addSound(api, made);
      }
      return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => made[name] ?? '');
    },
  };
}

async function addCaptions({ videoId, srclang }: Record<string, string>, ask: World['ask']): Promise<void> {
  const path = `/library/1/videos/${videoId}/captions/${srclang}`;
  await ask({ method: 'POST', path, body: { captionsFile: Buffer.from(CAPTIONS).toString('base64') } });
}

/** Adds an audio track to a video, as if its file had one. */
async function addSound({ database: { db } }: TestApi, { videoId = '' }: Record<string, string>): Promise<void> {
  // The id comes from a response of the service.
  const mediaId = videoId as Guid;
  await addRows(db, mediaId, [{ rung: null }]);
  const plan = JSON.stringify({ durationSec: 4, streamIndex: 1 });
  await db.updateTable('rendition').set({ plan }).where('media_id', '=', mediaId).execute();
}

async function makeKey(api: TestApi, libraryId: number, which: rows.Which): Promise<string> {
  if (which === 'unknown') return rows.UNKNOWN_GUID;
  const wanted = { libraryId, scope: 'read', label: 'test', expiresAt: null } as const;
  return (await createKeyStore(api.database.db).create(wanted)).id;
}

async function makeShare(
  { database: { db }, second, secretBox }: TestApi,
  { videoId, collectionId }: Record<string, string>,
  which: rows.Which,
) {
  if (which === 'unknown') return rows.UNKNOWN_GUID;
  const fields = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test' };
  const libraryId = which === 'own' ? 1 : second.id;
  // The ids come from responses of the service.
  const key = collectionId
    ? { libraryId, collectionId: collectionId as Guid }
    : { libraryId, mediaId: videoId as Guid };
  return (await createShareStore({ db, secretBox }).create(key, fields)).id;
}

async function call(method: string, url: string, { key, body, headers }: CallOptions): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: { ...(key && { AccessKey: key }), ...headers },
    ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
  });
  const { status, headers: answered } = response;
  const type = answered.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    // An event stream has no end, so the first chunk is enough.
    const reader = response.body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    return { status, headers: answered, text: Buffer.from(first?.value ?? []).toString(), body: null };
  }
  const text = await response.text();
  return { status, headers: answered, text, body: type.includes('json') ? JSON.parse(text) : null };
}

type Watcher = { client: pg.Client; text: string };

/**
 * A separate connection that plans the query over all tables only once. It uses one process: with so many tables of
 * unknown size, the planner would start two more.
 */
async function openWatcher({ database: { db, config } }: TestApi): Promise<Watcher> {
  const tables = (await db.introspection.getTables()).filter(({ isView }) => !isView);
  const names = tables.map(({ name }) => name).filter((name) => !NOT_STATE.test(name));
  const contentOf = (name: string) =>
    `select ${pg.escapeLiteral(name)} as name, count(*) || ' rows ' ||
      md5(coalesce(string_agg(row_text, '' order by row_text), '')) as content
      from (select md5(t::text) as row_text from ${pg.escapeIdentifier(name)} t) as rows`;
  const client = new pg.Client({ ...config, options: '-c max_parallel_workers_per_gather=0' });
  await client.connect();
  return { client, text: names.map(contentOf).join(' union all ') };
}

async function readState({ storage }: TestApi, { client, text }: Watcher): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; content: string }>({ name: 'state', text });
  const files = await storage.files();
  return {
    ...Object.fromEntries(rows.map(({ name, content }) => [name, content])),
    objects: files.toSorted((a, b) => a.localeCompare(b)).join(),
  };
}

/** Creates an import that has ended, because a library runs one at a time. */
async function makeImport(api: TestApi, which: rows.Which): Promise<string> {
  if (which === 'unknown') return rows.UNKNOWN_GUID;
  const row = {
    id: newGuid(),
    library_id: which === 'own' ? 1 : api.second.id,
    source: 'upload',
    address: '',
    request: Buffer.alloc(0),
    state: 'cancelled',
    is_dry_run: false,
    concurrency: 1,
  } as const;
  await api.database.db.insertInto('library_import').values(row).execute();
  return row.id;
}

/** Registers a worker that is not running, so nothing happens to a drain that is requested. */
async function makeProcess(api: TestApi, which: rows.Which): Promise<string> {
  if (which === 'unknown') return rows.UNKNOWN_GUID;
  const id = newGuid();
  await sql`
    insert into millrace_node
      (id, host, role, version, started_at, cpu_cores, memory_bytes, host_load, host_cores)
    values (${id}, ${id}, 'worker', '0.1.0', now(), 0, 0, 0, 1)`.execute(api.database.db);
  return id;
}

/** Creates an invited person. People belong to no library. */
async function makePerson(api: TestApi, which: rows.Which): Promise<string> {
  return which === 'unknown' ? rows.UNKNOWN_GUID : (await invite(api, { Email: `${newGuid()}@example.com` })).id;
}
