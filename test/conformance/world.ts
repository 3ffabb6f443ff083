import { sql } from 'kysely';
import { createKeyStore } from '../../src/catalog/keys/key-store.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { type Answer, type CallOptions, startTestApi, type TestApi } from '../support/api.ts';
import { type Origin, serve, startOrigin } from '../uploads/origin.ts';
import { expectGoodManners } from './check-answer.ts';
import type { Real } from './interface-data.ts';

/** A thing of the first library, a thing of another library, and one that nobody has. */
export type Which = 'own' | 'foreign' | 'unknown';

/** A request as a test words it. */
export type Ask = { method: string; path: string } & CallOptions;

/** The api over a real database with two libraries, an origin to fetch from, and whatever operations are asked about. */
export type World = {
  api: TestApi;
  origin: Origin;
  keys: Awaited<ReturnType<typeof makeKeys>>;
  /** Calls with the first library's key unless told otherwise; every answer is held against what all have in common. */
  ask(ask: Ask): Promise<Answer>;
  /** The key that an operation is made for. */
  properKey(operation: Real): string | null;
  /** An address of the operation; each thing in its path is made for it, in the first library unless told otherwise. */
  address(operation: Real, which?: Which): Promise<string>;
  makeVideo(which?: Which): Promise<string>;
  /** A video that has had its upload. */
  makeUploaded(): Promise<string>;
  /** All that is stored, as one text per table and for the objects; requests that are refused must not change it. */
  state(): Promise<Record<string, string>>;
  stop(): Promise<void>;
};

export const UNKNOWN_GUID = '0190a0a0-0000-7000-8000-000000000000';
export const UNKNOWN_ID = 987_654;

/** Written by reading: when a key was last used, and who asked for what. */
const NOT_STATE = /^(kysely_|access_key$|audit)/;

export async function startWorld(): Promise<World> {
  // Names are never looked up: nothing but this machine is asked for.
  const lookup = async () => [{ address: '192.0.2.1', family: 4 }];
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], lookup });
  const [api, origin] = await Promise.all([startTestApi({ outbound }), startOrigin()]);
  origin.script(serve(Buffer.from('bytes of a file')));
  const keys = await makeKeys(api);
  const ask = async ({ method, path, ...options }: Ask) => {
    const answer = await api.call(method, path, options);
    expectGoodManners(answer);
    return answer;
  };
  const things = createThings(api, ask);
  const tables = await stateTables(api);
  return {
    api,
    origin,
    keys,
    ask,
    properKey: ({ auth }) => (auth === 'account-key' ? keys.account : auth === 'none' ? null : keys.own),
    address: (operation, which = 'own') => things.address(operation, which),
    makeVideo: (which = 'own') => things.video(which),
    async makeUploaded() {
      const guid = await things.video('own');
      await ask({ method: 'PUT', path: `/library/1/videos/${guid}`, body: Buffer.from('bytes of a video') });
      return guid;
    },
    state: () => readState(api, tables),
    async stop() {
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
  await store.revoke(revoked.id);
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

type Ask_ = World['ask'];

/** Makes the things that paths address. */
function createThings(api: TestApi, ask: Ask_) {
  const inLibrary = (which: Which) => ({
    library: which === 'foreign' ? api.second.id : 1,
    key: which === 'foreign' ? api.second.key : api.first.libraryKey,
  });
  const create = async (what: string, body: object, which: Which) => {
    if (which === 'unknown') return UNKNOWN_GUID;
    const { library, key } = inLibrary(which);
    const answer = await ask({ method: 'POST', path: `/library/${library}/${what}`, key, body });
    return String(Object(answer.body).guid);
  };
  const zone = async (which: Which) => {
    if (which === 'unknown') return String(UNKNOWN_ID);
    return String((await api.libraries.find(inLibrary(which).library))?.pullZone.id);
  };
  const makers: Record<string, (which: Which) => Promise<string>> = {
    library: async () => '1',
    video: (which) => create('videos', { title: 'Made for a test' }, which),
    collection: (which) => create('collections', { name: 'Made for a test' }, which),
    'pull zone': zone,
  };
  return {
    video: (which: Which) => create('videos', { title: 'Made for a test' }, which),
    async address({ path, params }: Real, which: Which): Promise<string> {
      let address = path;
      for (const [name, schema] of Object.entries<{ title?: unknown }>(params.properties)) {
        const make = makers[String(schema.title ?? name)];
        if (make === undefined) throw new Error(`Teach world.ts to make what {${name}} of ${path} addresses.`);
        address = address.replace(`{${name}}`, await make(which));
      }
      return address;
    },
  };
}

async function stateTables({ database: { db } }: TestApi): Promise<string[]> {
  return (await db.introspection.getTables()).map(({ name }) => name).filter((name) => !NOT_STATE.test(name));
}

async function readState(
  { database: { db }, storage }: TestApi,
  names: readonly string[],
): Promise<Record<string, string>> {
  const tables = names.map(
    (name) => sql`select ${sql.lit(name)} as name, count(*) || ' rows ' ||
      md5(coalesce(string_agg(row_text, '' order by row_text), '')) as content
      from (select md5(t::text) as row_text from ${sql.table(name)} t) as rows`,
  );
  const { rows } = await sql<{ name: string; content: string }>`${sql.join(tables, sql` union all `)}`.execute(db);
  const files = await storage.files();
  return {
    ...Object.fromEntries(rows.map(({ name, content }) => [name, content])),
    objects: files.toSorted((a, b) => a.localeCompare(b)).join(),
  };
}
