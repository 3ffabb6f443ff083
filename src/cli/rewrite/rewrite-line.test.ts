import { expect, test } from 'vitest';
import { rewriteLine } from './rewrite-line.ts';
import { readRules } from './rewrite-rules.ts';

const ID = '657bb740-a71b-4529-a012-528021c31a92';
const rules = readRules({
  api: 'https://media.example.com',
  edge: 'https://watch.example.com/',
  host: ['vz-12ab34cd-e56.b-cdn.net=https://watch.example.com/vz-1', 'cdn.old.example=https://watch.example.com/vz-2'],
  library: ['12345=7'],
});

test.each([
  {
    name: 'an embed with a query',
    line: `<iframe src="https://iframe.mediadelivery.net/embed/12345/${ID}?autoplay=true&amp;t=3"></iframe>`,
    text: `<iframe src="https://watch.example.com/embed/7/${ID}?autoplay=true&amp;t=3"></iframe>`,
  },
  {
    name: 'a player page of another library',
    line: `http://player.mediadelivery.net/play/99/${ID}`,
    text: `https://watch.example.com/play/99/${ID}`,
  },
  {
    name: 'an old embed on the API host',
    line: `//video.bunnycdn.com/embed/12345/${ID}`,
    text: `//watch.example.com/embed/7/${ID}`,
  },
  {
    name: 'API URLs',
    line: `fetch('https://video.bunnycdn.com/library/12345/videos'); fetch("https://api.bunny.net/videolibrary")`,
    text: `fetch('https://media.example.com/library/7/videos'); fetch("https://media.example.com/videolibrary")`,
  },
  {
    name: 'a library in URLs of the account API',
    line: `"https://api.bunny.net/videolibrary/12345/resetApiKey" "https://api.bunny.net/videolibrary/99"`,
    text: `"https://media.example.com/videolibrary/7/resetApiKey" "https://media.example.com/videolibrary/99"`,
  },
  {
    name: 'bytes in scripts',
    line: String.raw`"https:\x2F\x2Fiframe.mediadelivery.net\x2Fembed\x2F12345\x2F${ID}"`,
    text: String.raw`"https:\x2F\x2Fwatch.example.com\x2Fembed\x2F7\x2F${ID}"`,
  },
  {
    name: 'a pull zone',
    line: `https://vz-12ab34cd-e56.b-cdn.net/${ID}/playlist.m3u8`,
    text: `https://watch.example.com/vz-1/${ID}/playlist.m3u8`,
  },
  { name: 'an own host name', line: 'https://CDN.old.example/a/b', text: 'https://watch.example.com/vz-2/a/b' },
  {
    name: 'JSON',
    line: String.raw`{"u":"https:\/\/iframe.mediadelivery.net\/embed\/12345\/x"}`,
    text: String.raw`{"u":"https:\/\/watch.example.com\/embed\/7\/x"}`,
  },
  {
    name: 'JSON within SQL',
    line: String.raw`('{\"u\":\"https:\\/\\/vz-12ab34cd-e56.b-cdn.net\\/x\"}')`,
    text: String.raw`('{\"u\":\"https:\\/\\/watch.example.com\\/vz-1\\/x\"}')`,
  },
  {
    name: 'a URL in the query of another one',
    line: `https://video.bunnycdn.com/OEmbed?url=https%3A%2F%2Fiframe.mediadelivery.net%2Fembed%2F12345%2F${ID}`,
    text: `https://media.example.com/OEmbed?url=https%3A%2F%2Fwatch.example.com%2Fembed%2F7%2F${ID}`,
  },
  {
    name: 'a content security policy',
    line: "frame-src 'self' iframe.mediadelivery.net https://player.mediadelivery.net;",
    text: "frame-src 'self' watch.example.com https://watch.example.com;",
  },
  {
    name: 'slashes as entities',
    line: `https:&#x2F;&#x2F;iframe.mediadelivery.net&#x2F;embed&#x2F;12345&#x2F;${ID}`,
    text: `https:&#x2F;&#x2F;watch.example.com&#x2F;embed&#x2F;7&#x2F;${ID}`,
  },
  {
    name: 'slashes as code points',
    line: String.raw`"https:\u002F\u002Fiframe.mediadelivery.net\u002Fembed\u002F12345\u002F${ID}"`,
    text: String.raw`"https:\u002F\u002Fwatch.example.com\u002Fembed\u002F7\u002F${ID}"`,
  },
  {
    name: 'a percent-encoded embed code',
    line: `%3Ciframe%20src%3D%22https%3A%2F%2Fiframe.mediadelivery.net%2Fembed%2F12345%2F${ID}%22%3E`,
    text: `%3Ciframe%20src%3D%22https%3A%2F%2Fwatch.example.com%2Fembed%2F7%2F${ID}%22%3E`,
  },
  {
    name: 'a percent-encoded value after an equals sign',
    line: 'to=x%3Dhttps%3a%2f%2fvideo.bunnycdn.com%2flibrary%2f12345%2fvideos',
    text: 'to=x%3Dhttps%3A%2F%2Fmedia.example.com%2flibrary%2f7%2fvideos',
  },
  {
    name: 'a URL that is percent-encoded twice',
    line: `next=%2Fgo%3Fto%3D%2522https%253A%252F%252Fplayer.mediadelivery.net%252Fembed%252F12345%252F${ID}`,
    text: `next=%2Fgo%3Fto%3D%2522https%253A%252F%252Fwatch.example.com%252Fembed%252F7%252F${ID}`,
  },
  {
    name: 'an old scheme after an escaped line break, as in SQL',
    line: String.raw`'text\nhttp://iframe.mediadelivery.net/embed/12345/x\r\nhttp://video.bunnycdn.com/'`,
    text: String.raw`'text\nhttps://watch.example.com/embed/7/x\r\nhttps://media.example.com/'`,
  },
  {
    name: 'an old scheme after an escaped quote',
    line: String.raw`{"html":"\u003Ciframe src=\u0022http:\/\/iframe.mediadelivery.net\/embed\/12345\/x\u0022"}`,
    text: String.raw`{"html":"\u003Ciframe src=\u0022https:\/\/watch.example.com\/embed\/7\/x\u0022"}`,
  },
  {
    name: 'a port',
    line: 'https://video.bunnycdn.com:443/library/12345/videos',
    text: 'https://media.example.com/library/7/videos',
  },
])('replaces $name', ({ line, text }) => {
  expect(rewriteLine(line, rules).text).toBe(text);
});

test.each([
  'https://iframe.mediadelivery.net.evil.example/embed/12345/x',
  'https://xiframe.mediadelivery.net/embed/12345/x',
  'https://sub.iframe.mediadelivery.net/embed/12345/x',
  'mail@video.bunnycdn.com',
  'mail%40video.bunnycdn.com',
  'https://bunny.net/stream',
])('leaves %s unchanged', (line) => {
  expect(rewriteLine(line, rules)).toMatchObject({ text: line, found: [] });
});

test('reports URLs of a pull zone without a replacement', () => {
  const line = 'https://vz-ffffffff-000.b-cdn.net/x/playlist.m3u8?token=1';
  const host = 'vz-ffffffff-000.b-cdn.net';
  expect(rewriteLine(line, rules)).toMatchObject({
    text: line,
    found: [{ from: `${host}/x/playlist.m3u8`, to: null, host, keptLibrary: null }],
  });
});

test('returns each URL with its replacement, without the query', () => {
  const { found } = rewriteLine(`src="https://iframe.mediadelivery.net/embed/12345/${ID}?t=1"`, rules);
  expect(found).toEqual([
    {
      from: `iframe.mediadelivery.net/embed/12345/${ID}`,
      to: `https://watch.example.com/embed/7/${ID}`,
      host: 'iframe.mediadelivery.net',
      keptLibrary: null,
    },
  ]);
});

/** Serializes a string as PHP does. */
const serialize = (text: string) => `s:${text.length}:"${text}";`;
const escapeForSql = (text: string) => text.replaceAll(/["\\]/g, (found) => `\\${found}`);

test.each(['plain', 'in SQL'])('corrects the lengths of nested serialized strings, %s', (kind) => {
  const form = kind === 'plain' ? (text: string) => text : escapeForSql;
  // The inner length changes from three to two digits, which changes the outer length too.
  const padding = 'x'.repeat(104 - `https://player.mediadelivery.net/embed/12345/`.length);
  const of = (url: string) => `a:2:{${serialize('kept')}${serialize(`a:1:{${serialize(`${url}${padding}`)}}`)}}`;
  const line = `INSERT '${form(of('https://player.mediadelivery.net/embed/12345/'))}', ${form(serialize('other'))}`;
  const text = `INSERT '${form(of('https://watch.example.com/embed/7/'))}', ${form(serialize('other'))}`;
  expect(rewriteLine(line, rules).text).toBe(text);
});

test('corrects the length of a serialized string over several lines, and with doubled quotes', () => {
  const of = (url: string, quote: string) => `it${quote}s\nhere: ${url} `;
  const [from, to] = ['https://player.mediadelivery.net/embed/12345/', 'https://watch.example.com/embed/7/'];
  const old = serialize(of(from, "'"));
  expect(rewriteLine(old, rules).text).toBe(serialize(of(to, "'")));
  const inSql = (text: string) => `INSERT '${text.replaceAll("'", "''")}'`;
  expect(rewriteLine(inSql(old), rules)).toMatchObject({ text: inSql(serialize(of(to, "'"))), uncorrected: 0 });
});

test('counts serialized strings that do not end where their length says', () => {
  const line = 's:60:"https://player.mediadelivery.net/embed/12345/x";';
  expect(rewriteLine(line, rules).uncorrected).toBe(1);
});
