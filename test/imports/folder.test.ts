import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { runVerb } from '../../src/cli/client/run-verb.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { ask, type Import, makeFiles, startImporter } from './import-fixture.ts';
import { makePeertubeExport } from './peertube-export.ts';

const GUID = '0190163d-8694-739b-aea5-966c26f8ad91';
const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n';

let service: Service;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-folder-'));
  vi.stubEnv('HOME', folder);
  const { clip, image } = await makeFiles();
  await mkdir(at('media/Talks'), { recursive: true });
  await writeFile(at('media/one.mp4'), clip);
  await writeFile(at('media/one.png'), image);
  await writeFile(at('media/one.de.vtt'), VTT);
  await writeFile(at('media/one.json'), JSON.stringify({ guid: GUID, title: 'The first', views: 12 }));
  await cp(at('media/one.mp4'), at('media/Talks/two.mp4'));
  const row = '"Talks/two.mp4","Second, quoted",2024-02-03T04:05:06Z,"[{""property"":""k"",""value"":""v""}]"';
  await writeFile(at('media/manifest.csv'), `file,title,dateUploaded,metaTags\n${row}\n`);
  service = await startImporter(null);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => path.join(folder, name);

async function millrace(...args: string[]): Promise<{ code: number | null; text: string }> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  const target = args.includes('--library') ? [] : ['--library', '1'];
  const code = await runVerb([...args, '--url', service.apiUrl, '--key', ACCOUNT_KEY, ...target]);
  spy.mockRestore();
  return { code, text: lines.join('') };
}

/** Runs a command and also captures its errors. */
async function withErrors(...args: string[]): Promise<{ code: number | null; text: string; errors: string }> {
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  onTestFinished(() => spy.mockRestore());
  const ran = await millrace(...args);
  const errors = spy.mock.calls.flat().join('');
  spy.mockRestore();
  return { ...ran, errors };
}

test('a folder that does not fit ends the run, and the next run sends the rest', { timeout: 300_000 }, async () => {
  const { Id } = await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'Full' });
  const clip = await readFile(at('media/one.mp4'));
  await mkdir(at('full'));
  for (const name of ['a', 'b', 'c', 'd']) await writeFile(at(`full/${name}.mp4`), clip);
  const limitTo = (limit: number) =>
    ask(service, 'PUT', `/library/${Id}/quotas`, { storageBytes: { limit, mode: 'hard' } });
  await limitTo(clip.length * 3 - 1);
  const send = () => millrace('import', 'folder', at('full'), '--library', String(Id));
  expect((await send()).code).not.toBe(0);
  const imports = () => ask<{ items: { state: string }[] }>(service, 'GET', `/library/${Id}/imports`);
  const ended = { timeout: 60_000, interval: 500 };
  await vi.waitFor(async () => expect((await imports()).items).toMatchObject([{ state: 'cancelled' }]), ended);
  await limitTo(1e9);
  expect(await send()).toMatchObject({ code: 0, text: expect.stringContaining(' 0 failed') });
  const { items } = await ask<{ items: { status: number }[] }>(service, 'GET', `/library/${Id}/videos`);
  expect(items.map(({ status }) => status >= 2 && status <= 4)).toEqual([true, true, true, true]);
});

test('imports a folder with sidecars and a manifest, and a second run does nothing', { timeout: 300_000 }, async () => {
  const plan = await millrace('import', 'folder', at('media'), 'dryRun=true');
  expect(plan).toMatchObject({ code: 0, text: expect.stringContaining('planned\t3 items') });
  const first = await millrace('import', 'folder', at('media'));
  expect(first).toMatchObject({ code: 0, text: expect.stringContaining('3 imported, 0 skipped, 0 failed') });
  const { items } = await ask<{ items: Record<string, unknown>[] }>(service, 'GET', '/library/1/videos');
  const captions = [{ srclang: 'de', label: 'German' }];
  expect(items.find(({ guid }) => guid === GUID)).toMatchObject({ title: 'The first', views: 12, captions });
  const shelves = await ask<{ items: { guid: string; name: string }[] }>(service, 'GET', '/library/1/collections');
  expect(shelves.items).toMatchObject([{ name: 'Talks', videoCount: 1 }]);
  expect(items.find(({ guid }) => guid !== GUID)).toMatchObject({
    title: 'Second, quoted',
    dateUploaded: expect.stringContaining('2024-02-03T04:05:06'),
    metaTags: [{ property: 'k', value: 'v' }],
    collectionId: shelves.items[0]?.guid,
  });
  const second = await millrace('import', 'folder', at('media'));
  expect(second).toMatchObject({ code: 0, text: expect.stringContaining('0 imported, 3 skipped, 0 failed') });
});

test('an empty file is skipped with the reason, and the others are imported', { timeout: 300_000 }, async () => {
  await mkdir(at('empty'), { recursive: true });
  await writeFile(at('empty/a.mp4'), '');
  await cp(at('media/one.mp4'), at('empty/b.mp4'));
  const { code, text } = await millrace('import', 'folder', at('empty'));
  expect([code, text]).toEqual([0, expect.stringMatching(/skipped\t.*\ta\tThe file is empty/)]);
  expect(text).toContain('1 imported, 1 skipped, 0 failed');
});

test('a caption file or image that is refused does not stop its video', { timeout: 300_000 }, async () => {
  await mkdir(at('beside'), { recursive: true });
  await cp(at('media/one.mp4'), at('beside/talk.mp4'));
  await writeFile(at('beside/talk.transcript.vtt'), VTT);
  await writeFile(at('beside/talk.fr.vtt'), VTT);
  await writeFile(at('beside/talk.png'), 'no image');
  const error = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  const { code, text } = await millrace('import', 'folder', at('beside'));
  const printed = error.mock.calls.flat().join('');
  error.mockRestore();
  expect([code, text]).toEqual([6, expect.stringContaining('1 imported, 0 skipped, 0 failed')]);
  expect(printed).toMatch(/talk\.transcript\.vtt: .*language[\s\S]*talk\.png: /);
  const { items } = await ask<{ items: Record<string, unknown>[] }>(service, 'GET', '/library/1/videos?search=talk');
  expect(items).toMatchObject([{ title: 'talk', captions: [{ srclang: 'fr' }] }]);
});

test('a sidecar with a wrong value is named, and does not stop the others', { timeout: 300_000 }, async () => {
  await mkdir(at('wrong'), { recursive: true });
  for (const name of ['early', 'late', 'odd']) await cp(at('media/one.mp4'), at(`wrong/${name}.mp4`));
  const chapters = [
    { title: 'One', start: 0, end: 1 },
    { title: 'Two', start: 'x' },
  ];
  await writeFile(at('wrong/early.json'), JSON.stringify({ title: 'Early', dateUploaded: 'soon', chapters }));
  await writeFile(at('wrong/odd.json'), '{ "title": Odd }');
  const { code, text, errors } = await withErrors('import', 'folder', at('wrong'));
  expect([code, text]).toEqual([6, expect.stringContaining('2 imported, 0 skipped, 0 failed')]);
  expect(errors).toMatch(/early\.json: .*chapters\.1\.start/);
  expect(errors).toMatch(/early\.json: .*dateUploaded/);
  expect(errors).toMatch(/odd\.json .*odd\.mp4 is not imported/);
  const { items } = await ask<{ items: object[] }>(service, 'GET', '/library/1/videos?search=Early');
  expect(items).toMatchObject([{ title: 'Early', chapters: [{ title: 'One', start: 0, end: 1 }] }]);
});

test('a second run replaces only the sidecars that were changed, and tries refused ones again', {
  timeout: 300_000,
}, async () => {
  await mkdir(at('changed'), { recursive: true });
  await cp(at('media/one.mp4'), at('changed/edited.mp4'));
  for (const name of ['de', 'fr', 'it']) await writeFile(at(`changed/edited.${name}.vtt`), VTT);
  await writeFile(at('changed/edited.es.vtt'), 'no captions');
  await writeFile(at('changed/edited.es.srt'), 'no captions');
  const mark = (title: string) => JSON.stringify({ chapters: [{ title, start: 0, end: 1 }] });
  await writeFile(at('changed/edited.json'), mark('First'));
  const send = () => withErrors('import', 'folder', at('changed'));
  expect(await send()).toMatchObject({ code: 6, errors: expect.stringMatching(/es\.srt: [\s\S]*es\.vtt: /) });
  const load = async () =>
    (await ask<{ items: { guid: string }[] }>(service, 'GET', '/library/1/videos?search=edited')).items[0];
  const guid = (await load())?.guid;
  await writeFile(at('changed/edited.de.vtt'), VTT.replace('Hello', 'Hallo'));
  await writeFile(at('changed/edited.es.vtt'), VTT);
  await writeFile(at('changed/edited.json'), mark('Corrected'));
  const second = await send();
  const replaced = second.text.split('\n').filter((line) => line.startsWith('replaced'));
  expect(replaced).toEqual([
    `replaced\t${guid}\tcaptions de\t${at('changed/edited.de.vtt')}`,
    `replaced\t${guid}\tcaptions es\t${at('changed/edited.es.vtt')}`,
    expect.stringContaining('chapters'),
  ]);
  expect(await load()).toMatchObject({
    chapters: [{ title: 'Corrected' }],
    captions: expect.arrayContaining([
      { srclang: 'de', label: 'German', version: 2 },
      { srclang: 'es', label: 'Spanish', version: 1 },
      { srclang: 'fr', label: 'French', version: 1 },
    ]),
  });
  // Without the record of another machine, only files that are newer than the import count as changed.
  await rm(at('.config/millrace/sent'), { recursive: true });
  const third = await send();
  expect(third.text).toContain('captions de');
  expect(third.text).not.toContain('captions fr');
  expect((await send()).text).not.toContain('replaced');
  // A file of another folder, which has the same name and so the same GUID.
  await appendFile(at('changed/edited.mp4'), Buffer.alloc(100));
  const other = await send();
  expect(other).toMatchObject({ code: 6, errors: expect.stringMatching(/edited\.mp4 is not imported: [\s\S]*Rename/) });
});

test('imports a file again if it could not be encoded, and splits a large folder into several imports', {
  timeout: 300_000,
}, async () => {
  await mkdir(at('again'), { recursive: true });
  for (const name of ['bad', 'good', 'last']) await cp(at('media/one.mp4'), at(`again/${name}.mp4`));
  await writeFile(at('again/bad.mp4'), 'This is no video.');
  const first = await millrace('import', 'folder', at('again'), 'partItems=2');
  expect(first.code).toBe(6);
  expect(first.text).toMatch(/Part 1 of 2[\s\S]*1 imported, 0 skipped, 1 failed[\s\S]*Part 2 of 2[\s\S]*1 imported/);
  // The same file would be refused again.
  const idle = await millrace('import', 'folder', at('again'));
  expect(idle.code).toBe(0);
  expect(idle.text).toMatch(
    /skipped\t.*bad\t.*--retry-failed.*got text of 17 bytes[\s\S]*0 imported, 3 skipped, 0 failed/,
  );
  expect((await millrace('import', 'folder', at('again'), '--retry-failed')).code).toBe(6);
  await cp(at('media/one.mp4'), at('again/bad.mp4'));
  const second = await millrace('import', 'folder', at('again'));
  expect(second).toMatchObject({ code: 0, text: expect.stringContaining('1 imported, 2 skipped, 0 failed') });
});

test('names GUIDs that are in use, with a hint', { timeout: 300_000 }, async () => {
  await mkdir(at('taken'), { recursive: true });
  await cp(at('media/one.mp4'), at('taken/one.mp4'));
  const { guid } = await ask<{ guid: string }>(service, 'POST', '/library/1/videos', { title: 'Another' });
  await writeFile(at('taken/one.json'), JSON.stringify({ guid }));
  expect((await millrace('import', 'folder', at('taken'))).text).toContain('import this one with another GUID');
  await cp(at('media/one.mp4'), at('taken/two.mp4'));
  await writeFile(at('taken/two.json'), JSON.stringify({ guid }));
  const error = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  expect((await millrace('import', 'folder', at('taken'))).code).not.toBe(0);
  expect(error.mock.calls.flat().join('')).toMatch(/a different guid.*one\.mp4.*two\.mp4/s);
  error.mockRestore();
});

test('with skipDuplicates, keeps one copy of a file, and the report compares it', { timeout: 300_000 }, async () => {
  const { Id } = await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'Duplicates' });
  await mkdir(at('twice'), { recursive: true });
  for (const name of ['a', 'b']) await cp(at('media/one.mp4'), at(`twice/${name}.mp4`));
  const args = ['import', 'folder', at('twice'), '--library', String(Id), 'skipDuplicates=true'];
  const ran = await millrace(...args);
  expect(ran).toMatchObject({ code: 0, text: expect.stringContaining('1 imported, 1 skipped, 0 failed') });
  expect(ran.text).toContain('This copy is in the trash.');
  const imports = await ask<{ items: { guid: string }[] }>(service, 'GET', `/library/${Id}/imports`);
  const url = `${service.apiUrl}/library/${Id}/imports/${imports.items[0]?.guid}/report`;
  const report = async () => (await fetch(url, { headers: { AccessKey: ACCOUNT_KEY } })).text();
  await expect.poll(report, { timeout: 60_000, interval: 500 }).toMatch(/video,a\.mp4,[^,]+,a,imported,same,/);
});

test('starts, lists, shows, cancels and resumes imports, and ends one whose video is trashed', {
  timeout: 300_000,
}, async () => {
  const items = JSON.stringify([{ kind: 'video', sourceId: 'a', guid: GUID.replace('0190', '0191'), title: 'Later' }]);
  const { guid } = JSON.parse((await millrace('imports', 'start', '--json', 'source=upload', `items:=${items}`)).text);
  expect((await millrace('imports', 'ls')).text).toContain(guid);
  const shown = async () => (await millrace('imports', 'get', guid)).text;
  await expect.poll(shown, { timeout: 60_000 }).toContain('Later');
  expect((await millrace('imports', 'cancel', guid)).code).toBe(0);
  const load = () => ask<Import>(service, 'GET', `/library/1/imports/${guid}`);
  await expect.poll(async () => (await load()).state, { timeout: 60_000 }).toBe('cancelled');
  expect((await millrace('imports', 'resume', guid)).code).toBe(0);
  await expect.poll(async () => (await load()).counts.fetching, { timeout: 60_000 }).toBe(1);
  await ask(service, 'DELETE', `/library/1/videos/${GUID.replace('0190', '0191')}?trash=true`);
  await expect.poll(async () => (await load()).state, { timeout: 60_000 }).toBe('finished');
  expect((await load()).counts).toMatchObject({ fetching: 0, failed: 1 });
});

test('imports an unpacked user export of PeerTube with its GUIDs, and nothing outside of it', {
  timeout: 300_000,
}, async () => {
  const uuids = await makePeertubeExport(at('peertube/export'), {
    clip: await readFile(at('media/one.mp4')),
    image: await readFile(at('media/one.png')),
    vtt: VTT,
  });
  const { Id } = await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'PeerTube' });
  const ran = await millrace('import', 'folder', at('peertube/export'), '--library', String(Id));
  expect(ran).toMatchObject({ code: 0, text: expect.stringContaining('3 imported, 0 skipped, 0 failed') });
  expect(ran.text).toContain(`${uuids[2]} Archived 3: the archive has no file. Export video files too.`);
  expect(ran.text).toContain(`${uuids[3]} Archived 4: a live stream has no file.`);
  const { items } = await ask<{ items: Record<string, unknown>[] }>(service, 'GET', `/library/${Id}/videos`);
  const shelves = await ask<{ items: { guid: string }[] }>(service, 'GET', `/library/${Id}/collections`);
  expect(shelves.items).toMatchObject([{ name: 'The lab', videoCount: 2 }]);
  expect(items.find(({ guid }) => guid === uuids[0])).toMatchObject({
    title: 'Archived 1',
    description: 'About\nit',
    category: 'Science & Technology',
    isPublic: true,
    views: 7,
    dateUploaded: expect.stringContaining('2019-01-02T03:04:05'),
    collectionId: shelves.items[0]?.guid,
    captions: [{ srclang: 'fr', label: 'French' }],
    chapters: [
      { title: 'Start', start: 0, end: 1 },
      { title: 'Middle', start: 1, end: 2 },
    ],
    metaTags: [
      { property: 'peertubeUuid', value: uuids[0] },
      { property: 'keywords', value: 'one, two' },
    ],
    thumbnailFileName: expect.stringMatching(/^thumbnail_[0-9a-f]{8}\.jpg$/),
  });
  expect(items.find(({ guid }) => guid === uuids[1])).toMatchObject({
    title: 'Archived 2',
    description: null,
    category: null,
    isPublic: false,
    views: 0,
    captions: [],
    chapters: [],
    metaTags: [{ property: 'peertubeUuid', value: uuids[1] }],
    dateUploaded: expect.stringContaining('2024-05-06T07:09:09'),
  });
});
