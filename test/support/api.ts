import { createLicenceProxy } from '../../src/adapters/licence-proxy/licence-proxy.ts';
import { type Api, type ApiDeps, startApi } from '../../src/api/start-api.ts';
import { PROGRESS_CHANNEL } from '../../src/catalog/db.ts';
import { ensureFirstLibrary, type FirstLibrary } from '../../src/catalog/libraries/first-library-store.ts';
import { createLibraryStore, type LibraryStore } from '../../src/catalog/libraries/library-store.ts';
import { watchPublications } from '../../src/catalog/publications/publication-watch-store.ts';
import { openFirewall } from '../../src/catalog/shield/firewall/open-firewall.ts';
import { readRuleTexts } from '../../src/compose/firewall.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { createSecretBox, type SecretBox } from '../../src/lib/secret-box.ts';
import { captureLog } from './capture-log.ts';
import { startTestDatabase, type TestDatabase } from './database.ts';
import { createFolderStorage, type FolderStorage } from './folder-storage.ts';
import { createTestPackager, TEST_SECRET } from './packager.ts';
import { createTableQueue, type TableQueue } from './table-queue.ts';

export type Answer = { status: number; headers: Headers; body: unknown; text: string };

/** Secret that signs page tokens of the event log. */
export const CURSOR_SECRET = Buffer.alloc(32, 3);

/** A real server over a real database, with two libraries. */
export type TestApi = {
  url: string;
  api: Api;
  database: TestDatabase;
  storage: FolderStorage;
  queue: TableQueue;
  secretBox: SecretBox;
  libraries: LibraryStore;
  first: FirstLibrary;
  second: { id: number; key: string };
  /** Lines of errors that were logged as our own fault. */
  faults: unknown[];
  /** Sends a request, by default with the first library's key. `body` is sent as JSON unless it is bytes or text. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
};

export type CallOptions = { key?: string | null; body?: unknown; headers?: Record<string, string> };

export async function startTestApi(changes: Partial<ApiDeps> = {}): Promise<TestApi> {
  const database = await startTestDatabase();
  const [storage, queue] = await Promise.all([createFolderStorage(), createTableQueue(database.db)]);
  const secretBox = createSecretBox(TEST_SECRET);
  const { db } = database;
  const first = await ensureFirstLibrary({ accountKey: null, libraryKey: null }, { db, secretBox });
  const libraries = createLibraryStore({ db, secretBox });
  const { library, keys } = await libraries.create({ name: 'second', pullZoneName: null, libraryKey: null });
  const faults: unknown[] = captureLog(['error'], { isUnlimited: true }).lines;
  const outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  const api = await startApi({
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    version: '0.0.0-test',
    dashboard: null,
    edgeUrl: 'http://edge.test',
    ownHosts: [],
    sessionDays: 90,
    db,
    queue,
    storage,
    secretBox,
    trustedProxies: [],
    cursorSecret: () => [CURSOR_SECRET],
    firewall: openFirewall(readRuleTexts, (error) => {
      throw error;
    }),
    place: async () => ({ country: 'DE', asn: '64500' }),
    serverZone: 'TEST',
    packager: createTestPackager(db),
    licences: createLicenceProxy({ servers: {}, fairPlayCertificate: null, outbound }),
    outbound,
    findSpeech: async () => ({ languages: ['en'] }),
    translates: false,
    exportsToFolders: false,
    sendsMail: false,
    watchProgress: (listener) => watchPublications(database.pool, listener, PROGRESS_CHANNEL),
    health: () => ({ status: 200, body: { status: 'ok' } }),
    mounts: [],
    diskFloorBytes: () => 5e9,
    ...changes,
  });
  const url = `http://127.0.0.1:${api.port}`;
  return {
    url,
    api,
    database,
    storage,
    queue,
    secretBox,
    libraries,
    first,
    second: { id: library.id, key: keys.libraryKey },
    faults,
    call: (method, path, options) => call(`${url}${path}`, method, { key: first.libraryKey, ...options }),
    async stop() {
      await api.close();
      await outbound.close();
      await database.stop();
      await storage.remove();
    },
  };
}

async function call(url: string, method: string, { key, body, headers }: CallOptions): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key && { AccessKey: key }),
      ...(body !== undefined && !raw && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}
