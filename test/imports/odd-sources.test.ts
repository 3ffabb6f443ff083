import { expect, test } from 'vitest';
import { createSourceReader, type Name } from './create-source-reader.ts';
import { type Call, missing, type Reply } from './scripted-api.ts';

const { guidFor, listAll, locate, script } = createSourceReader();

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Returns a page of `NAMES`. The first item is deleted after the first page. */
function shrinkingList(pageItems: number) {
  let reads = 0;
  return (start: number) => {
    reads += 1;
    const left = reads === 1 ? NAMES : NAMES.slice(1);
    return { total: left.length, names: left.slice(start, start + pageItems) };
  };
}

const pageOf = ({ query }: Call) => Number(query.get('page'));

/** Lists with pages of two, in the form of each source. */
const LISTS: [Name, (call: Call, read: ReturnType<typeof shrinkingList>) => Reply][] = [
  [
    'bunny',
    (call, read) => {
      if (call.path.endsWith('/collections')) return { json: { totalItems: 0, itemsPerPage: 2, items: [] } };
      const { total, names } = read((pageOf(call) - 1) * 2);
      return {
        json: { totalItems: total, itemsPerPage: 2, items: names.map((title) => ({ title, guid: guidFor(title) })) },
      };
    },
  ],
  [
    'vimeo',
    (call, read) => {
      if (call.path === '/me/projects') return { json: { total: 0, data: [], paging: {} } };
      const { total, names } = read((pageOf(call) - 1) * 2);
      const next = pageOf(call) * 2 < total ? '/next' : null;
      return { json: { total, paging: { next }, data: names.map((name) => ({ name, uri: `/videos/${name}` })) } };
    },
  ],
  [
    'mediacms',
    (call, read) => {
      const { total, names } = read((pageOf(call) - 1) * 2);
      if (names.length === 0) return missing;
      const next = pageOf(call) * 2 < total ? '/next' : null;
      return { json: { count: total, next, results: names.map((title) => ({ title, friendly_token: title })) } };
    },
  ],
  [
    'peertube',
    ({ query }, read) => {
      const { total, names } = read(Number(query.get('start')));
      return { json: { total, data: names.map((name) => ({ name, uuid: guidFor(name) })) } };
    },
  ],
];

test.each(LISTS)('%s lists all videos if one is deleted between two pages', async (name, answer) => {
  const read = shrinkingList(2);
  const request = await script((call) => answer(call, read));
  const titles = (await listAll(name, request)).map(({ title }) => title);
  expect(new Set(titles)).toEqual(new Set(NAMES));
});

test('a MediaCMS list ends if its last page was deleted', async () => {
  let reads = 0;
  const request = await script((call) => {
    if (pageOf(call) > 1) return missing;
    reads += 1;
    const [count, next] = reads === 1 ? [51, '/next'] : [50, null];
    return { json: { count, next, results: [{ friendly_token: 'a' }] } };
  });
  const items = await listAll('mediacms', request);
  expect(new Set(items.map(({ sourceId }) => sourceId))).toEqual(new Set(['a']));
});

test('Cloudflare lists all videos if the service reduces the page size', async () => {
  const all = NAMES.map((uid, index) => ({ uid, created: new Date(Date.UTC(2024, 0, 1, 0, 0, index)).toISOString() }));
  const request = await script(({ query }) => {
    const later = all.filter(({ created }) => created > (query.get('after') ?? ''));
    return { json: { result: later.slice(0, 3) } };
  });
  const found = (await listAll('cloudflare', request)).map(({ sourceId }) => sourceId);
  expect([...new Set(found)]).toEqual(NAMES);
});

test('Cloudflare signs the chosen thumbnail of a private video', async () => {
  const request = await script(({ path, method }, url) => {
    if (path.endsWith('/downloads')) {
      return { json: { result: { default: { status: 'ready', url: `${url}/uid/default.mp4` } } } };
    }
    if (path.endsWith('/token') && method === 'POST') return { json: { result: { token: 'signed' } } };
    if (path.endsWith('/captions')) return { json: { result: [] } };
    const video = { uid: 'uid', status: { state: 'ready' }, requireSignedURLs: true, thumbnailTimestampPct: 0.5 };
    return { json: { result: [{ ...video, thumbnail: `${url}/uid/thumbnail.jpg` }] } };
  });
  const [item] = await listAll('cloudflare', request);
  const { files, thumbnail } = await locate('cloudflare', request, item);
  expect(files[0]?.url).toBe(`${request.apiUrl}/signed/default.mp4`);
  expect(thumbnail?.url).toBe(`${request.apiUrl}/signed/thumbnail.jpg`);
});

test('bunny does not import an MP4 file of a video that is being encoded', async () => {
  const facts = { availableResolutions: '240p', hasMP4Fallback: true, hasOriginal: false };
  const request = await script(({ path }) => {
    if (path.endsWith('/collections')) return { json: { totalItems: 0, itemsPerPage: 2, items: [] } };
    const items = [3, 4].map((status) => ({ ...facts, status, title: `${status}`, guid: guidFor(`${status}`) }));
    return { json: { totalItems: 2, itemsPerPage: 2, items } };
  });
  expect(await listAll('bunny', request)).toMatchObject([
    { title: '3', obstacle: { reason: expect.stringContaining('still encoding'), isRetryable: true } },
    { title: '4', obstacle: null, video: { files: [{ kind: 'mp4' }, { kind: 'hls' }] } },
  ]);
});

test('Vimeo notes text tracks and chapters beyond the maximum', async () => {
  const counts = { texttracks: { total: 1_003 }, chapters: { total: 1_000 } };
  const download = [{ quality: 'source', link: 'https://a.b/c' }];
  const video = { uri: '/videos/1', name: 'One', duration: 5, metadata: { connections: counts }, download };
  const request = await script(({ path }) => {
    if (path === '/me/projects') return { json: { total: 0, data: [], paging: { next: null } } };
    if (path === '/me/videos') return { json: { total: 1, data: [video], paging: { next: null } } };
    const track = { language: 'en', link: 'https://a.b/c.vtt' };
    if (path.endsWith('/texttracks')) return { json: { data: Array.from({ length: 100 }, () => track) } };
    return { json: path.endsWith('/chapters') ? { data: [] } : video };
  });
  const [item] = await listAll('vimeo', request);
  const { captions, notes } = await locate('vimeo', request, item);
  expect(captions).toHaveLength(1_000);
  expect(notes).toEqual(['3 of 1003 text tracks were not imported. The maximum is 1000.']);
});

test('Vimeo imports nested folders, and the text tracks and chapters of all pages', async () => {
  const counts = { texttracks: { total: 130 }, chapters: { total: 120 } };
  const folder = { uri: '/users/1/projects/9', name: 'Nested' };
  const video = { uri: '/videos/1', name: 'One', duration: 500, parent_folder: folder };
  const request = await script(({ path, query }) => {
    if (path === '/me/projects') return { json: { total: 0, data: [], paging: { next: null } } };
    const one = {
      ...video,
      metadata: { connections: counts },
      download: [{ quality: 'source', link: 'https://a.b/c' }],
    };
    if (path === '/me/videos') return { json: { total: 1, data: [one], paging: { next: null } } };
    const perPage = Number(query.get('per_page') ?? 25);
    const start = (pageOf({ query } as Call) - 1) * perPage;
    const slice = (count: number) => Array.from({ length: count }, (_, index) => index).slice(start, start + perPage);
    if (path.endsWith('/texttracks')) {
      // The last track is the one that players at the source show.
      const track = (index: number) => ({ language: `x-${index}`, link: 'https://a.b/c.vtt', active: index === 129 });
      return { json: { data: slice(130).map(track) } };
    }
    if (path.endsWith('/chapters')) {
      return { json: { data: slice(120).map((index) => ({ title: `${index}`, timecode: index })) } };
    }
    return { json: one };
  });
  const [shelf, item] = await listAll('vimeo', request);
  expect(shelf).toMatchObject({ kind: 'collection', title: 'Nested' });
  expect(item).toMatchObject({ video: { collectionId: shelf?.id } });
  const { captions, details } = await locate('vimeo', request, item);
  expect([captions.length, captions[0]?.srclang]).toEqual([130, 'x-129']);
  expect(details?.chapters?.length).toBe(120);
});

test('Mux titles an asset after its passthrough, and marks generated captions', async () => {
  const track = { type: 'text', id: 't', language_code: 'en', name: 'English', status: 'ready' };
  const facts = { id: 'a', status: 'ready', meta: { title: '' }, passthrough: 'Passed', master: { status: 'ready' } };
  const asset = {
    ...facts,
    master: { status: 'ready', url: 'https://a.b/c' },
    playback_ids: [{ id: 'p', policy: 'public' }],
    tracks: [track, { ...track, language_code: 'de', text_source: 'generated_vod' }],
  };
  const request = await script(({ path }) => ({ json: { data: path === '/video/v1/assets' ? [asset] : asset } }));
  const [item] = await listAll('mux', request);
  expect(item?.title).toBe('Passed');
  const { captions } = await locate('mux', request, item);
  expect(captions.map(({ srclang, origin }) => [srclang, origin])).toEqual([
    ['en', undefined],
    ['de', 'speech'],
  ]);
});

test('an import does not wait for a PeerTube video whose transcoding failed', async () => {
  const video = { uuid: guidFor('a'), name: 'A', state: { id: 7, label: 'Transcoding failed' }, files: [] };
  const request = await script(({ path }) => ({
    json: path.endsWith('/me/videos') ? { total: 1, data: [video] } : video,
  }));
  const [item] = await listAll('peertube', request);
  const reason = 'The source has not published this video: Transcoding failed.';
  expect(item).toMatchObject({ obstacle: { reason, isRetryable: false } });
  await expect(locate('peertube', request, item)).rejects.toMatchObject({ kind: 'invalid', message: reason });
});

test('PeerTube marks generated captions', async () => {
  const request = await script(({ path }) => {
    const video = { uuid: guidFor('a'), name: 'A' };
    if (path.endsWith('/me/videos')) return { json: { total: 1, data: [video] } };
    const caption = { language: { id: 'en', label: 'English' }, captionPath: '/en.vtt', automaticallyGenerated: true };
    if (path.endsWith('/captions')) return { json: { data: [caption] } };
    return path.endsWith(`/videos/${video.uuid}`) ? { json: { ...video, files: [] } } : missing;
  });
  const [item] = await listAll('peertube', request);
  expect((await locate('peertube', request, item)).captions).toMatchObject([{ srclang: 'en', origin: 'speech' }]);
});

test('a bucket with a JSON file of another program next to a medium is listed, and the file is noted', async () => {
  const keys = ['talk.json', 'talk.mp4'].map((key) => `<Contents><Key>${key}</Key><Size>9</Size></Contents>`);
  const request = await script(({ path }) => {
    if (path === '/films') return { bytes: Buffer.from(`<ListBucketResult>${keys.join('')}</ListBucketResult>`) };
    return path === '/films/talk.json' ? { bytes: Buffer.alloc(2 ** 20 + 1, ' ') } : missing;
  });
  const items = await listAll('s3', { ...request, bucket: 'films', secretKey: 'secret' });
  const notes = [expect.stringMatching(/^The sidecar could not be read: .*larger/)];
  expect(items).toMatchObject([{ title: 'talk', obstacle: null, notes }]);
});

test('a refused key has a separate kind, so that an import stops', async () => {
  const request = await script(() => ({ status: 401 }));
  await expect(listAll('mux', request)).rejects.toMatchObject({ kind: 'unauthenticated' });
});
