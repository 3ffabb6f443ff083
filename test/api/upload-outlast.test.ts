import { text as readText } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { loseNextCommit } from '../support/lost-commit.ts';
import { addVideo, beginPut, countSent, countUploads, loadRow } from './put-upload.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => api.stop());

const OK = { success: true, message: 'OK', statusCode: 200 };

test('an upload survives a database outage during lease renewal and commit', async () => {
  const { db } = api.database;
  const guid = await addVideo(api);
  await sql`
    create sequence cuts;
    create function cut() returns trigger language plpgsql as $$
    begin
      if nextval('cuts') <= 3 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return new;
    end $$;
    create trigger cut before update on upload for each row execute function cut()
  `.execute(db);
  const after = setTimeout;
  const renewals = vi.spyOn(globalThis, 'setTimeout');
  renewals.mockImplementation(((action: () => void, ms?: number) => after(action, ms === 20_000 ? 50 : ms)) as never);
  const socket = beginPut(api, guid, 'Content-Length: 10\r\nConnection: close');
  socket.write('hello');
  const cuts = async () => (await sql<{ n: number }>`select last_value as n from cuts`.execute(db)).rows[0]?.n;
  await vi.waitFor(async () => expect(await cuts()).toBeGreaterThan(3), { timeout: 20_000 });
  renewals.mockRestore();
  await sql`
    drop trigger cut on upload;
    alter sequence cuts restart;
    create trigger cut before update on media for each row execute function cut()
  `.execute(db);
  socket.write('world');
  expect(await readText(socket)).toMatch(/^HTTP\/1\.1 200 /);
  await sql`drop trigger cut on media`.execute(db);
  expect(await loadRow(api, guid)).toMatchObject({ state: 'uploaded', source_bytes: 10 });
  expect([await countSent(api, guid), (await filesOf(guid)).length, await countUploads(api)]).toEqual([1, 1, 0]);
});

test('accepts an upload once if its commit succeeded but the response was lost', async () => {
  const guid = await addVideo(api);
  const { lost } = await loseNextCommit(api.database, 'media');
  const upload = api.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('whole') });
  expect((await Promise.all([upload, lost]))[0].body).toEqual(OK);
  expect(await loadRow(api, guid)).toMatchObject({ state: 'uploaded', source_bytes: 5 });
  expect([await countSent(api, guid), (await filesOf(guid)).length, await countUploads(api)]).toEqual([1, 1, 0]);
});

async function filesOf(guid: string): Promise<string[]> {
  return (await api.storage.files()).filter((name) => name.includes(guid));
}
