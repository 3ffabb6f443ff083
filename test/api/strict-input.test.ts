import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../support/api.ts';

// Regression tests: the service used to misinterpret each of these requests instead of rejecting it.
let api: TestApi;
let account: string;
beforeAll(async () => {
  api = await startTestApi();
  account = String(api.first.accountKey);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const LIBRARY = '/library/1';

async function makeVideo(title = 'A video'): Promise<string> {
  const { body } = await api.call('POST', `${LIBRARY}/videos`, { body: { title } });
  return Object(body).guid;
}

const countVideos = async () => Object((await api.call('GET', `${LIBRARY}/videos`)).body).totalItems;
const core = (method: string, path: string, body?: unknown) => api.call(method, path, { key: account, body });

/** Returns the message of a refusal, in any of the error formats. */
function wordsOf({ body }: Answer): string {
  const { message, Message }: { message?: string; Message?: string } = Object(body);
  return typeof body === 'string' ? body : (message ?? Message ?? '');
}

function expectRefused(answer: Answer, words: RegExp | string): void {
  expect([answer.status, wordsOf(answer)]).toEqual([400, expect.stringMatching(words)]);
}

test.each([
  [{ filter: { serch: 'v1' } }, '"serch" is unknown; did you mean "search"'],
  [{ filter: { search: 'v1', colection: '' } }, 'did you mean "collection"'],
  [{ ids: ['0190163d-8694-739b-aea5-966c26f8ad91'] }, '"ids" is unknown; did you mean "videoIds"'],
  [{ filter: { ids: ['0190163d-8694-739b-aea5-966c26f8ad91'] } }, 'did you mean "videoIds"'],
  [{ status: 'bogus' }, 'did you mean "status"|"status" is unknown here'],
  [{ filter: { status: 'bogus' } }, 'Expected status as numbers'],
  [{ filter: { status: '9' } }, 'Expected status as numbers'],
  [{ filter: {} }, 'at least one value'],
  [{ filter: [] }, 'at least one value'],
  [{ filter: { search: '', status: ',', incomplete: false } }, 'at least one value'],
  [{ filter: { dateFrom: 'yesterday' } }, 'filter.dateFrom'],
  [{ filter: { dateFrom: '2026-02-01', dateTo: '2026-01-01' } }, 'before dateTo'],
  [{ filter: { incomplete: 'yes' } }, 'filter.incomplete'],
  [{ all: false }, 'exactly one of'],
  [{ all: 'yes' }, 'all must be'],
  [{ all: true, filter: { search: 'v1' } }, 'exactly one of'],
  [{ all: true, collectionId: '0190163d-8694-739b-aea5-966c26f8ad91' }, 'filter.collection'],
  [{}, 'exactly one of'],
])('rejects a bulk operation with %j', async (body, words) => {
  await makeVideo('v1');
  const before = await countVideos();
  for (const action of ['trash', 'delete', 'restore', 'reencode']) {
    expectRefused(await api.call('POST', `${LIBRARY}/bulk`, { body: { action, ...body } }), words);
  }
  expect(await countVideos()).toBe(before);
});

test('a bulk operation changes only the videos in its scope, and a restore only videos in the trash', async () => {
  const bulk = async (body: object) => Object((await api.call('POST', `${LIBRARY}/bulk`, { body })).body).total;
  const named = `scope ${Date.now()}`;
  const [kept, trashed] = [await makeVideo(named), await makeVideo(named)];
  await api.call('DELETE', `${LIBRARY}/videos/${trashed}?trash=TRUE`);
  expect(await bulk({ action: 'trash', filter: { search: named } })).toBe(1);
  expect(await bulk({ action: 'restore', filter: { search: named } })).toBe(1);
  expect(await bulk({ action: 'restore', all: true })).toBe(1);
  expect(await bulk({ action: 'retry', all: true })).toBe(await countVideos());
  expect(await bulk({ action: 'move', collectionId: '', videoIds: [kept.replaceAll('-', '')] })).toBe(1);
  expectRefused(
    await api.call('POST', `${LIBRARY}/bulk`, { body: { action: 'move', videoIds: [kept] } }),
    /collectionId/,
  );
});

test.each([
  'trash=yes',
  'trash',
  'trash=',
  'trsh=true',
  'trash=on',
  'Trash=nope',
  'trash=true&trash=false',
  'dryRun=1',
])('rejects a deletion with ?%s and keeps the video', async (query) => {
  const guid = await makeVideo();
  const answer = await api.call('DELETE', `${LIBRARY}/videos/${guid}?${query}`);
  expectRefused(answer, /tr[a]?sh|"dryRun" is unknown here: POST .*cleanup has a field of this name/i);
  expect((await api.call('GET', `${LIBRARY}/videos/${guid}`)).status).toBe(200);
});

test('rejects a deletion with the trash option in the body, and keeps the video', async () => {
  const guid = await makeVideo();
  expectRefused(await api.call('DELETE', `${LIBRARY}/videos/${guid}`, { body: { trash: true } }), /"trash"/);
  expect((await api.call('DELETE', `${LIBRARY}/videos/${guid}`, { body: {} })).status).toBe(200);
});

test.each([
  'dryRun=yes',
  'dryrn=true',
  'dryRun=',
  'dryRun',
  'allResolution=1',
  'outputs=disk',
  'deleteOriginal=please',
])('rejects a cleanup with ?allResolutions=true&%s', async (query) => {
  const guid = await makeVideo();
  const path = `${LIBRARY}/videos/${guid}/resolutions/cleanup?allResolutions=true&${query}`;
  expectRefused(await api.call('POST', path), new RegExp(query.slice(0, 5)));
});

test.each([
  [{ EnableTokenAuthentication: true }, 'did you mean "ZoneSecurityEnabled"'],
  [{ ZoneSecurityEnabld: true }, 'did you mean "ZoneSecurityEnabled"'],
  [{ BlockNoneReferer: true }, 'did you mean "BlockNoneReferrer"'],
  [{ zonesecurityenabled: true, ZoneSecurityEnabled: false }, 'was sent twice'],
  [{ ZoneSecurityEnabled: 'yes' }, 'ZoneSecurityEnabled must be'],
])('rejects %j and does not change the pull zone', async (body, words) => {
  expectRefused(await core('POST', '/pullzone/1', body), words);
  expect((await core('POST', '/pullzone/1', { Enabled: true, SomethingElse: 1 })).status).toBe(200);
});

test.each([
  ['/videolibrary/1', { ZoneSecurityEnabled: true }, 'did you mean "EnableTokenAuthentication"'],
  ['/videolibrary/1', { PlayerTokenAuthenticationEnable: true }, 'did you mean "PlayerTokenAuthenticationEnabled"'],
  ['/videolibrary/1', { AllowedReferrers: ['not a host'] }, 'AllowedReferrers of host names'],
  ['/videolibrary/1', { GoogleWidevineDrm: { SdOnlyForL: true } }, 'SdOnlyForL3'],
  [
    '/videolibrary/1/keys',
    { Scope: 'write', DateExpires: '2020-01-01' },
    'did you mean "ExpiresInSec", a number of seconds from now?',
  ],
  ['/videolibrary/1', { BlockedIps: ['192.0.2.1'] }, '"BlockedIps" is unknown here: POST /pullzone/{id} has a field'],
  ['/pullzone/1', { EnableDRM: true }, '"EnableDRM" is unknown here: POST /videolibrary/{id} has a field'],
  ['/pullzone/1', { SecurityKey: 'a key of my own' }, 'POST /pullzone/{id}/resetSecurityKey has a field'],
  ['/pullzone/1/resetSecurityKey', { SecurityKye: 'a key of my own' }, 'did you mean "SecurityKey"'],
  ['/videolibrary/1/resetApiKey?overlapSecs=60', undefined, 'did you mean "overlapSec"'],
  ['/videolibrary/1/resetApiKey?overlapSec=1h', undefined, 'Expected overlapSec'],
  ['/videolibrary/1', undefined, 'JSON object'],
  ['/pullzone/1', [], 'JSON object'],
])('rejects POST %s with %j', async (path, body, words) => {
  const { ErrorKey } = Object((await core('POST', path, body)).body);
  expect(ErrorKey).toBe('request.invalid');
  expectRefused(await core('POST', path, body), words);
});

test('can protect a library when it is created, and accepts the returned library as an update', async () => {
  const body = { Name: 'Protected', EnableTokenAuthentication: true, PlayerTokenAuthenticationEnabled: true };
  const made = Object((await core('POST', '/videolibrary', body)).body);
  expect(made.PlayerTokenAuthenticationEnabled).toBe(true);
  expect(Object((await core('GET', `/pullzone/${made.PullZoneId}`)).body).ZoneSecurityEnabled).toBe(true);
  await core('POST', `/videolibrary/${made.Id}/addAllowedReferrer`, { Hostname: 'example.com' });
  const read = (await core('GET', `/videolibrary/${made.Id}`)).body;
  expect((await core('POST', `/videolibrary/${made.Id}`, read)).status).toBe(200);
});

test.each([
  ['POST', '/collections', undefined],
  ['POST', '/collections', {}],
  ['POST', '/collections', { name: '' }],
  ['POST', '/collections', { nam: 'Holidays' }],
  ['POST', '/live', undefined],
  ['POST', '/live', null],
  ['POST', '/live', []],
  ['POST', '/live', { title: ' ' }],
  ['POST', '/videos', { titel: 'Holidays' }],
  ['POST', '/videos', { title: 'Holidays', public: false }],
  ['POST', '/live', { isPublic: false }],
  ['POST', '/live', { pubic: false }],
  ['POST', '/videos/fetch?collectionId=none', { url: 'http://127.0.0.1:1/' }],
  ['GET', '/live?page=abc', undefined],
  ['GET', '/live?itemsPerPage=0', undefined],
  ['GET', '/live?collectionId=none', undefined],
  ['GET', '/statistics?dateFrom=2026-02-01&dateTo=2026-01-01', undefined],
  ['GET', '/statistics/audience?dateFrom=2026-02-01&dateTo=2026-01-01', undefined],
  ['GET', '/statistics/export?dateFrom=2026-02-01&dateTo=2026-01-01', undefined],
  ['GET', '/videos?dateFrom=2026-02-01&dateTo=2026-01-01', undefined],
  ['GET', '/statistics?hourly=maybe', undefined],
  ['GET', '/videos?incomplete=maybe', undefined],
  ['GET', '/trash?page=abc', undefined],
  ['GET', '/trash?pag=2', undefined],
  ['GET', '/webhooks?state=lost', undefined],
] as const)('rejects %s %s with %j', async (method, path, body) => {
  const answer = await api.call(method, `${LIBRARY}${path}`, { body: body === null ? 'null' : body });
  expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/[A-Z"].+/)]);
});

test('suggests the correct name for a misspelt required field', async () => {
  const answer = await api.call('POST', `${LIBRARY}/videos`, { body: { titel: 'Holidays' } });
  expectRefused(answer, '"titel" is unknown; did you mean "title"?');
  const extra = { title: 'Holidays', titel: 'ignored' };
  expect((await api.call('POST', `${LIBRARY}/videos`, { body: extra })).status).toBe(200);
});

test('rejects an invalid name, and does not change the name of the collection', async () => {
  const { body } = await api.call('POST', `${LIBRARY}/collections`, { body: { Name: 'Holidays' } });
  const path = `${LIBRARY}/collections/${Object(body).guid}`;
  for (const sent of [{ name: '' }, { name: ' ' }, null, [], 'text']) {
    expect((await api.call('POST', path, { body: sent === null ? 'null' : sent })).status).toBe(400);
  }
  expect((await api.call('GET', path.replaceAll('-', ''))).body).toMatchObject({ name: 'Holidays' });
});

test.each(['limit=abc', 'limit=0', 'limit=-7', 'from=notadate', 'to=notadate 1', 'from=2026-02-30'])(
  'rejects thumbnails of a stream with ?%s, with a message as a JSON string',
  async (query) => {
    const { body } = await api.call('POST', `${LIBRARY}/live`, { body: { title: 'Match' } });
    const answer = await api.call('GET', `${LIBRARY}/live/${Object(body).guid}/thumbnails?${query}`);
    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(/^Expected (limit|from|to) to be/)]);
  },
);

test.each([
  'enabledResolutions=999p|240',
  'enabledResolutions=720p,999p',
  'enabledOutputCodecs=mpeg2',
  'jitEnabled=maybe',
  'transcribeLanguages=en,klingon',
  'transcribeLanguages=zz',
  'sourceLanguage=english',
  'generateTitle=2',
])('rejects an upload with ?%s, and accepts the upload without it', async (query) => {
  const path = `${LIBRARY}/videos/${await makeVideo()}`;
  expectRefused(await api.call('PUT', `${path}?${query}`, { body: 'bytes' }), new RegExp(query.split('=')[0] ?? ''));
  expect((await api.call('PUT', path, { body: 'bytes' })).status).toBe(200);
});

test('error messages contain the field name as sent, and the received value', async () => {
  const body = { dvrEnabled: true, dvrWindowSeconds: 0 };
  const { body: refused } = await api.call('POST', `${LIBRARY}/live`, { body });
  expect(Object(refused).data).toEqual(['The field dvrWindowSeconds must be >= 1, got 0.']);
  const missing = await api.call('POST', `${LIBRARY}/live`, { body: { dvrEnabled: true } });
  expect(Object(missing.body).data[0]).toMatch(/^The field dvrWindowSeconds is required/);
});

test('accepts extra fields, empty values and quoted numbers from clients of the hosted API', async () => {
  const query = '?page=&itemsPerPage=&orderBy=&per_page=5&sort_by=x';
  expect((await api.call('GET', `${LIBRARY}/videos${query}&page=abc&orderBy=colour`)).status).toBe(200);
  const body = { Title: 'Extra', thumbnailTime: '1500', guid: 'x', videoLibraryId: 1, color: 'red' };
  expect((await api.call('POST', `${LIBRARY}/videos${query}`, { body })).status).toBe(200);
});

test('a strict request for an unknown order of a list is refused, and hosted clients get the usual order', async () => {
  for (const list of ['videos', 'collections']) {
    const path = `${LIBRARY}/${list}?orderBy=nonsense`;
    expect((await api.call('GET', path)).status).toBe(200);
    const headers = { AccessKey: api.first.libraryKey, prefer: 'handling=strict' };
    const strict = await fetch(`${api.url}${path}`, { headers });
    const message = expect.stringMatching(/Expected orderBy to be one of date, .*, got "nonsense"/);
    expect([strict.status, await strict.json()]).toEqual([400, expect.objectContaining({ message })]);
    expect((await fetch(`${api.url}${path.replace('nonsense', 'Date')}`, { headers })).status).toBe(200);
  }
});
