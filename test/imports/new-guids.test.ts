import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { FIRST, type Fields, millrace, SECOND } from './export-fixture.ts';
import { ask, type Import, makeFiles, startImporter, untilImport } from './import-fixture.ts';

const COMMENT = '0190163d-8694-739b-aea5-966c26f8ad93';
const SHELF = '0190163d-8694-739b-aea5-966c26f8ad94';

let service: Service;
let folder: string;
const at = (name: string) => path.join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-copies-'));
  vi.stubEnv('HOME', folder);
  const { clip } = await makeFiles();
  await mkdir(at('media'));
  const said = { text: 'Cut this', authorName: 'Ada', authorKind: 'guest', dateCreated: '2026-01-02T03:04:05Z' };
  for (const [name, guid] of [
    ['one', FIRST],
    ['two', SECOND],
  ] as const) {
    await writeFile(at(`media/${name}.mp4`), clip);
    await writeFile(at(`media/${name}.json`), JSON.stringify({ guid, title: name, collectionId: SHELF }));
  }
  await writeFile(at('media/one.comments.json'), JSON.stringify([{ guid: COMMENT, time: 1, ...said }]));
  const shelf = { guid: SHELF, name: 'Talks', videoOrder: 'manual', videoIds: [SECOND, FIRST] };
  await writeFile(at('media/collections.json'), JSON.stringify([shelf]));
  service = await startImporter(null);
  expect(await millrace(service, 'import', 'folder', at('media'))).toMatchObject({ code: 0 });
}, 300_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const isOver = ({ state }: Import) => ['finished', 'planned', 'failed'].includes(state);

async function createLibrary(Name: string): Promise<number> {
  return (await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name })).Id;
}

async function copyInto(library: number, newGuids: boolean): Promise<Import> {
  const source = { source: 'millrace', apiUrl: service.apiUrl, accountKey: ACCOUNT_KEY, sourceLibraryId: 1 };
  const { guid } = await ask<Import>(service, 'POST', `/library/${library}/imports`, { ...source, newGuids });
  return await untilImport(() => service, `/library/${library}/imports/${guid}`, isOver);
}

/** Expects copies of both videos in their collection, in its order and with the comment. */
async function expectCopies(library: number): Promise<Fields[]> {
  const { items } = await ask<{ items: Fields[] }>(service, 'GET', `/library/${library}/videos?orderBy=title`);
  const shelves = await ask<{ items: Fields[] }>(service, 'GET', `/library/${library}/collections`);
  const [one, two] = items.toSorted((a, b) => (String(a.title) < String(b.title) ? -1 : 1));
  const shelf = shelves.items[0]?.guid;
  expect([one?.title, two?.title, one?.collectionId, two?.collectionId]).toEqual(['one', 'two', shelf, shelf]);
  expect([FIRST, SECOND, SHELF]).not.toEqual(expect.arrayContaining([one?.guid]));
  const order = await ask<Fields>(service, 'GET', `/library/${library}/collections/${String(shelf)}/order`);
  expect(order).toMatchObject({ order: 'manual', videos: [{ guid: two?.guid }, { guid: one?.guid }] });
  const comments = await ask<{ items: Fields[] }>(
    service,
    'GET',
    `/library/${library}/videos/${String(one?.guid)}/comments`,
  );
  expect(comments.items).toMatchObject([{ text: 'Cut this', authorName: 'Ada' }]);
  return [one, two].map((video) => ({ ...video }));
}

test('an import with newGuids copies a library within a service, and a second one finds the copies', {
  timeout: 300_000,
}, async () => {
  const library = await createLibrary('Copies');
  const refused = await copyInto(library, false);
  expect(refused.counts).toMatchObject({ imported: 1, skipped: 2 });
  expect(refused.items.at(-1)?.reason).toContain('newGuids=true');
  const first = await copyInto(library, true);
  expect(first).toMatchObject({ state: 'finished', newGuids: true, counts: { imported: 3, failed: 0 } });
  const [one] = await expectCopies(library);
  const listed = first.items.find(({ sourceId }) => sourceId === FIRST);
  expect(listed?.guid).toBe(one?.guid);
  expect((await copyInto(library, true)).counts).toMatchObject({ imported: 0, skipped: 3 });
});

test('an import from a folder with newGuids makes copies too, and a second one finds them', {
  timeout: 300_000,
}, async () => {
  const library = await createLibrary('From a folder');
  const copy = () => millrace(service, 'import', 'folder', at('media'), 'newGuids=true', '--library', `${library}`);
  expect(await copy()).toMatchObject({ code: 0, text: expect.stringContaining('3 imported, 0 skipped') });
  await expectCopies(library);
  expect(await copy()).toMatchObject({ code: 0, text: expect.stringContaining('0 imported, 3 skipped') });
});

test('an import of uploads states its GUIDs itself', async () => {
  const item = { kind: 'video', sourceId: 'a', guid: FIRST, title: 'A' };
  const body = { source: 'upload', newGuids: true, items: [item] };
  await expect(ask(service, 'POST', '/library/1/imports', body)).rejects.toThrow('Send the new GUIDs in items');
});
