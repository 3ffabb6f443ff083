import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseXml, type XmlElement } from '../../src/lib/parse-xml.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { ask, makeFiles, startImporter } from './import-fixture.ts';

const ITUNES = 'http://www.itunes.com/dtds/podcast-1.0.dtd';
const MEDIA = 'http://search.yahoo.com/mrss/';
const ATOM = 'http://www.w3.org/2005/Atom';
const PODCAST = 'https://podcastindex.org/namespace/1.0';
/** RFC 822 section 5.1, with years of four digits as RSS 2.0 recommends. */
const RFC_822 = new RegExp(
  '^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d{4} ' +
    '\\d\\d:\\d\\d:\\d\\d (GMT|[+-]\\d{4})$',
);
const TITLE = 'Open & <public> “one”';

type Feed = { access: string; podcastUrl: string | null; mediaRssUrl: string | null };

let service: Service;
let path: string;
beforeAll(async () => {
  service = await startImporter(null);
  const { clip } = await makeFiles();
  const { guid } = await ask<{ guid: string }>(service, 'POST', '/library/1/collections', { name: 'Talks & more' });
  path = `/library/1/collections/${guid}/feed`;
  const videos = [TITLE, 'Second'];
  await ask(service, 'POST', '/videolibrary/1', { EnableMP4Fallback: true });
  for (const title of videos) {
    const video = await ask<{ guid: string }>(service, 'POST', '/library/1/videos', { title, collectionId: guid });
    const at = `/library/1/videos/${video.guid}`;
    const body = { metaTags: [{ property: 'keywords', value: 'a, b' }] };
    await ask(service, 'POST', at, body);
    const captionsFile = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n').toString('base64');
    await ask(service, 'POST', `${at}/captions/en`, { srclang: 'en', label: 'English', captionsFile });
    const sent = { method: 'PUT', headers: { AccessKey: ACCOUNT_KEY }, body: new Uint8Array(clip) };
    expect((await fetch(`${service.apiUrl}${at}`, sent)).status).toBe(200);
  }
  const isFinished = async () =>
    (await ask<{ items: { status: number }[] }>(service, 'GET', '/library/1/videos')).items.every(
      ({ status }) => status === 4,
    );
  await vi.waitUntil(isFinished, { timeout: 240_000, interval: 500 });
}, 300_000);
afterAll(() => discard(service));

const read = (url: string | null, headers: Record<string, string> = {}) =>
  fetch(new URL(url ?? '', service.apiUrl), { headers });
const all = (parent: XmlElement, name: string, namespace = '') =>
  parent.children.filter((child) => child.name === name && child.namespace === namespace);
const one = (parent: XmlElement, name: string, namespace = ''): XmlElement => {
  const [found, ...more] = all(parent, name, namespace);
  if (found === undefined || more.length > 0) throw new Error(`Expected one ${name}, got ${more.length + 1}.`);
  return found;
};
const attribute = (element: XmlElement, name: string) => element.attributes.get(name) ?? '';

/** Checks the rules of RSS 2.0: elements of channels, items and enclosures. Returns the channel. */
async function readChannel(url: string | null): Promise<XmlElement> {
  const answer = await read(url);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/rss+xml; charset=utf-8']);
  const root = parseXml(await answer.text());
  expect([root.name, attribute(root, 'version')]).toEqual(['rss', '2.0']);
  const channel = one(root, 'channel');
  for (const name of ['title', 'link', 'description', 'language', 'lastBuildDate']) {
    expect(one(channel, name).content).not.toBe('');
  }
  expect(URL.canParse(one(channel, 'link').content)).toBe(true);
  expect(one(channel, 'lastBuildDate').content).toMatch(RFC_822);
  const links = all(channel, 'link', ATOM).map((link) => [attribute(link, 'rel'), attribute(link, 'href')]);
  // The service has no public URL.
  expect(links).toEqual([['self', expect.stringContaining(`${service.apiUrl}/feeds/1/`)]]);
  const guids = all(channel, 'item').map((item) => one(item, 'guid'));
  expect(new Set(guids.map(({ content }) => content)).size).toBe(guids.length);
  for (const item of all(channel, 'item')) {
    expect(one(item, 'pubDate').content).toMatch(RFC_822);
    expect(attribute(one(item, 'guid'), 'isPermaLink')).toBe('false');
    const enclosure = one(item, 'enclosure');
    expect(attribute(enclosure, 'length')).toMatch(/^[1-9]\d*$/);
    expect(attribute(enclosure, 'type')).toBe('video/mp4');
    expect((await fetch(attribute(enclosure, 'url'))).headers.get('content-type')).toBe('video/mp4');
  }
  return channel;
}

test('a collection has no feed until it is turned on', async () => {
  expect(await ask<Feed>(service, 'GET', path)).toMatchObject({ access: 'off', podcastUrl: null, mediaRssUrl: null });
  const unknown = await read(path.replace('/library/', '/feeds/').replace('/collections/', '/').replace('/feed', ''));
  expect(unknown.status).toBe(404);
});

test('a podcast lists videos with enclosures and the tags that directories require', async () => {
  const texts = {
    author: 'The lab',
    language: 'de',
    category: 'Education',
    description: 'All <talks>',
    explicit: true,
  };
  const feed = await ask<Feed>(service, 'POST', path, { access: 'public', ...texts });
  expect(feed).toMatchObject({ access: 'public', ...texts });
  const channel = await readChannel(feed.podcastUrl);
  expect(one(channel, 'title').content).toBe('Talks & more');
  expect(one(channel, 'description').content).toBe('All <talks>');
  expect(one(channel, 'author', ITUNES).content).toBe('The lab');
  expect(one(channel, 'explicit', ITUNES).content).toBe('true');
  expect(attribute(one(channel, 'category', ITUNES), 'text')).toBe('Education');
  expect(attribute(one(channel, 'image', ITUNES), 'href')).toMatch(/^http.*\.jpg/);
  const items = all(channel, 'item');
  expect(items.map((item) => one(item, 'title').content)).toEqual(['Second', TITLE]);
  const [, item] = items;
  if (item === undefined) throw new Error('Expected an item.');
  expect(one(item, 'duration', ITUNES).content).toBe('2');
  const transcript = one(item, 'transcript', PODCAST);
  expect(attribute(transcript, 'type')).toBe('text/vtt');
  expect(await (await fetch(attribute(transcript, 'url'))).text()).toContain('WEBVTT');
});

test('a feed with a token opens only at the URL that contains the token', async () => {
  const feed = await ask<Feed>(service, 'POST', path, { access: 'token' });
  const channel = await readChannel(feed.podcastUrl);
  expect(all(channel, 'item').length).toBe(2);
  const bare = String(feed.podcastUrl).split('?')[0] ?? '';
  for (const wrong of [bare, `${bare}?token=wrong`]) expect((await read(wrong)).status).toBe(404);
  expect((await read(feed.podcastUrl)).headers.get('cache-control')).toBe('private, max-age=300');
  const renewed = await ask<Feed>(service, 'POST', path, { renewToken: true });
  expect(renewed.podcastUrl).not.toBe(feed.podcastUrl);
  expect((await read(feed.podcastUrl)).status).toBe(404);
  expect((await read(renewed.podcastUrl)).status).toBe(200);
});

test('a Media RSS feed has contents, thumbnails, keywords, subtitles and players', async () => {
  const feed = await ask<Feed>(service, 'POST', path, { access: 'public' });
  const channel = await readChannel(feed.mediaRssUrl);
  const item = all(channel, 'item').find((each) => one(each, 'title').content === TITLE);
  if (item === undefined) throw new Error('Expected an item.');
  const contents = all(one(item, 'group', MEDIA), 'content', MEDIA);
  expect(contents.map((content) => [attribute(content, 'type'), attribute(content, 'medium')])).toEqual([
    ['video/mp4', 'video'],
    ['application/vnd.apple.mpegurl', 'video'],
  ]);
  expect(contents.filter((content) => attribute(content, 'isDefault') === 'true').length).toBe(1);
  for (const content of contents) expect((await fetch(attribute(content, 'url'))).status).toBe(200);
  expect((await fetch(attribute(one(item, 'thumbnail', MEDIA), 'url'))).status).toBe(200);
  expect((await fetch(attribute(one(item, 'player', MEDIA), 'url'))).status).toBe(200);
  expect(one(item, 'keywords', MEDIA).content).toBe('a, b');
  expect(attribute(one(item, 'subTitle', MEDIA), 'lang')).toBe('en');
  expect(one(item, 'title', MEDIA).content).toBe(TITLE);
});

test('a reader that has a feed already gets status 304', async () => {
  const { podcastUrl } = await ask<Feed>(service, 'GET', path);
  const first = await read(podcastUrl);
  // Its URLs depend on the request, because the service has no public URL.
  expect(first.headers.get('cache-control')).toBe('private, max-age=300');
  const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
  const second = await read(podcastUrl, known);
  expect([second.status, await second.text()]).toEqual([304, '']);
  await ask(service, 'POST', path, { title: 'Another title' });
  expect((await read(podcastUrl, known)).status).toBe(200);
  await ask(service, 'POST', path, { access: 'off' });
  expect((await read(podcastUrl)).status).toBe(404);
});
