import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openCatalogue } from '../support/leftovers.ts';
import { discard, type Service } from '../support/service.ts';
import { type Fields, millrace } from './export-fixture.ts';
import { ask, makeFiles, startImporter } from './import-fixture.ts';

const TITLES = [
  ...['a/b\\c..', '🎬 👩‍👩‍👧 é', 'ä'.repeat(300), 'Same', 'Same', '../../etc/passwd', '-rf *', '"; drop table', ' a '],
  ...['Two\nlines', '<script>alert(1)</script>', '日本語', 'CON', '%00 %2e', '=1+1', '.', '\u202Eevil', 'Zażółć'],
];
const VTT = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n').toString('base64');

let source: Service;
let target: Service;
let folder: string;
const at = (name: string) => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-odd-'));
  vi.stubEnv('HOME', folder);
  const { clip } = await makeFiles();
  await writeFile(at('clip.mp4'), clip);
  [source, target] = await Promise.all([startImporter(null), startImporter(null)]);
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const service of [source, target]) if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

async function listed(service: Service): Promise<Fields[]> {
  const { items } = await ask<{ items: Fields[] }>(service, 'GET', '/library/1/videos?itemsPerPage=100');
  return items.toSorted((one, other) => (String(one.guid) < String(other.guid) ? -1 : 1));
}

const kept = ({ guid, title, description, dateUploaded, collectionId, captions, length, ...video }: Fields) => ({
  ...{ guid, title, description, dateUploaded, collectionId, length, width: video.width, height: video.height },
  ...{ views: video.views, chapters: video.chapters, moments: video.moments, metaTags: video.metaTags },
  captions: Object(captions).map(({ srclang, label }: Fields) => ({ srclang, label })),
});

/** Returns the chosen frames and the origins of captions. */
async function extrasOf(service: Service): Promise<unknown> {
  const { db, close } = openCatalogue(service);
  const { rows } = await sql<{ captions: Fields[]; at: number | null }>`select captions, thumbnail_time_ms as at
    from media where library_id = 1 order by id`.execute(db);
  await close();
  const ofCaption = ({ srclang, origin = null, translatedFrom = null }: Fields) => ({
    srclang,
    origin,
    translatedFrom,
  });
  return rows.map((row) => ({ at: row.at, captions: row.captions.map(ofCaption) }));
}

const finished = async (service: Service) => (await listed(service)).filter(({ status }) => status === 4).length;

test('a library with odd titles and captions is exported and restored', async () => {
  for (const [index, title] of TITLES.entries()) {
    const body = { title, ...(index === 1 && { thumbnailTime: 700 }) };
    const { guid } = await ask<Fields>(source, 'POST', '/library/1/videos', body);
    // The others have no file.
    if (index > 2) continue;
    const uploaded = await fetch(`${source.apiUrl}/library/1/videos/${String(guid)}`, {
      method: 'PUT',
      headers: { AccessKey: String((await ask<Fields>(source, 'GET', '/videolibrary/1')).ApiKey) },
      body: new Uint8Array(await readFile(at('clip.mp4'))),
    });
    expect(uploaded.status).toBe(200);
    for (const [srclang, label] of [
      ['en', 'English'],
      ['en-sdh', 'English (SDH)'],
      ['pt-BR', 'Português / BR "x"'],
    ]) {
      const path = `/library/1/videos/${String(guid)}/captions/${srclang}`;
      const query = srclang === 'pt-BR' ? '?origin=speech&translatedFrom=en' : '';
      await ask(source, 'POST', `${path}${query}`, { srclang, label, captionsFile: VTT });
    }
  }
  await expect.poll(() => finished(source), { timeout: 120_000, interval: 500 }).toBe(3);
  const exported = await millrace(source, 'export', at('out'));
  expect(exported).toEqual({
    code: 0,
    text: `3 exported, 0 unchanged, 0 failed, ${TITLES.length - 3} without a file\n`,
  });
  expect((await readdir(at('out'))).filter((name) => name.endsWith('.vtt'))).toHaveLength(9);
  const imported = await millrace(target, 'import', 'folder', at('out'));
  expect(imported).toMatchObject({ code: 0, text: expect.stringContaining('3 imported, 15 skipped, 0 failed') });
  await expect.poll(() => finished(target), { timeout: 120_000, interval: 500 }).toBe(3);
  const withFile = (await listed(source)).filter(({ status }) => status === 4);
  expect((await listed(target)).map(kept)).toEqual(withFile.map(kept));
  const [before, after] = [await extrasOf(source), await extrasOf(target)];
  expect(after).toEqual(Object(before).filter(({ captions }: Fields) => Object(captions).length > 0));
  expect(JSON.stringify(after)).toContain('"at":700');
  expect(JSON.stringify(after)).toContain('"origin":"speech","translatedFrom":"en"');
}, 400_000);

test('a later export transfers changes only, and ignores a video that was deleted', async () => {
  const [first, second] = (await listed(source)).filter(({ status }) => status === 4);
  await ask(source, 'DELETE', `/library/1/videos/${String(first?.guid)}`);
  await ask(source, 'POST', `/library/1/videos/${String(second?.guid)}`, { title: 'Renamed' });
  const { text } = await millrace(source, 'export', at('out'));
  expect(text).toContain('0 exported, 2 unchanged, 0 failed');
  expect(JSON.parse(await readFile(at(`out/${String(second?.guid)}.json`), 'utf8')).title).toBe('Renamed');
}, 120_000);
