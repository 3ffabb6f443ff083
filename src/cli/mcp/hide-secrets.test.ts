import { expect, test } from 'vitest';
import { hideSecrets } from './hide-secrets.ts';

const KEY = 'own-key-of-the-caller';
const TOKEN = 'T0ken_-'.repeat(7).slice(0, 43);

test.each([
  ['a stream key', 'Use bunnylive_0123abcdef to publish.', 'Use *** to publish.'],
  ['a stream key in capitals', 'BUNNYLIVE_0123ABCDEF', '***'],
  ['the key of an RTMP relay', 'rtmp://live.example.com/app/relay-key?x=1', 'rtmp://live.example.com/app/***'],
  [
    'the key of an RTMPS relay',
    '"rtmps://live.example.com:443/a/k-1", then',
    '"rtmps://live.example.com:443/a/***", then',
  ],
  [
    'the token of a feed',
    `https://example.com/feeds/1/all.xml?token=${TOKEN}`,
    'https://example.com/feeds/1/all.xml?token=***',
  ],
  ['a token of a feed that is not first', '/feeds/1/all.xml?page=2&token=abc-_1', '/feeds/1/all.xml?page=2&token=***'],
  ['the token of a feed in XML', '<a>/feeds/1?page=2&amp;token=abc</a>', '<a>/feeds/1?page=2&amp;token=***</a>'],
  ['the link of a share page', `https://example.com/share/${TOKEN}`, 'https://example.com/share/***'],
  ['the key of the caller', `Key ${KEY}, again ${KEY}.`, 'Key ***, again ***.'],
])('masks %s', (_what, text, masked) => {
  expect(hideSecrets(text, KEY)).toBe(masked);
  expect(hideSecrets({ items: [{ note: text }] }, KEY)).toEqual({ items: [{ note: masked }] });
});

test.each([
  'https://video.example.com/1/playlist.m3u8?token=HS256-abc&expires=1900000000',
  `https://video.example.com/bcdn_token=${TOKEN}&expires=1900000000/1/playlist.m3u8`,
  'https://video.example.com/embed/1/0190a0a0-0000-7000-8000-000000000000?token=0123abcdef&expires=1900000000',
  'rtmp://live.example.com/app',
  'https://example.com/share/short',
])('keeps %s', (url) => {
  expect(hideSecrets({ url }, KEY)).toEqual({ url });
});

test.each([
  'ApiKey',
  'ReadOnlyApiKey',
  'ZoneSecurityKey',
  'streamKey',
  'feedToken',
  'secret',
  'ClientSecret',
  'Password',
])('masks the field %s', (name) => {
  expect(hideSecrets({ [name]: 'plain' }, null)).toEqual({ [name]: '***' });
  expect(hideSecrets([{ [name]: '' }, { [name]: null }], null)).toEqual([{ [name]: '' }, { [name]: null }]);
});

test.each(['passphrase', 'SrtPassphrase', 'Link', 'link'])('masks the field %s too', (name) => {
  expect(hideSecrets({ [name]: 'plain' }, null)).toEqual({ [name]: '***' });
});

test.each(['continuationToken', 'startToken', 'ErrorKey', 'Key', 'key', 'keyName', 'linkText', 'monkeys'])(
  'keeps the field %s',
  (name) => {
    expect(hideSecrets({ [name]: 'plain' }, null)).toEqual({ [name]: 'plain' });
  },
);

test('masks fields within secret fields, and keeps numbers and truth values', () => {
  const value = { apiKey: { note: 'bunnylive_00', count: 2 }, isToken: true, hasKey: 1 };
  expect(hideSecrets(value, '')).toEqual({ apiKey: { note: '***', count: 2 }, isToken: true, hasKey: 1 });
});
