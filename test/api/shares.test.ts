import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { join } from '../support/people.ts';

let api: TestApi;
let path: string;
beforeAll(async () => {
  api = await startTestApi();
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'A "quoted" <title>' } });
  path = `/library/1/videos/${Object(body).guid}/shares`;
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const create = async (body: object = {}) => Object((await api.call('POST', path, { body })).body);

test('creates, lists, changes and deletes shares, whose links cannot be guessed', async () => {
  const { status, body } = await api.call('POST', path, { body: { password: 'summer party', allowDownload: true } });
  expect([status, body]).toEqual([
    200,
    {
      guid: expect.any(String),
      url: expect.stringMatching(/^http:\/\/edge\.test\/share\/[A-Za-z0-9_-]{43}$/),
      access: 'password',
      emailDomains: [],
      allowDownload: true,
      allowComments: false,
      dateExpires: null,
      createdBy: 'ApiKey',
      dateCreated: expect.any(String),
    },
  ]);
  const share = Object(body);
  const other = await create();
  expect(other).toMatchObject({ access: 'link', allowDownload: false });
  expect(Object((await api.call('GET', path)).body).items).toEqual([share, other]);
  const dateExpires = inAnHour();
  const changed = await api.call('POST', `${path}/${share.guid}`, { body: { password: null, dateExpires } });
  expect(changed.body).toEqual({ ...share, access: 'link', dateExpires: dateExpires.slice(0, -1) });
  const again = await api.call('POST', `${path}/${share.guid}`, { body: { password: 'winter party' } });
  expect(again.body).toMatchObject({ access: 'password', allowDownload: true, url: share.url });
  for (const { guid } of [share, other]) expect((await api.call('DELETE', `${path}/${guid}`)).status).toBe(200);
  expect((await api.call('DELETE', `${path}/${share.guid}`)).status).toBe(404);
  expect(Object((await api.call('GET', path)).body).items).toEqual([]);
});

test('stores neither the link nor the password in readable form', async () => {
  const { url, guid } = await create({ password: 'summer party' });
  const row = await api.database.db.selectFrom('share').selectAll().where('id', '=', guid).executeTakeFirstOrThrow();
  const stored = JSON.stringify({ ...row, token_sealed: row.token_sealed.toString('latin1') });
  expect(stored).not.toContain(url.split('/').at(-1));
  expect(stored).not.toContain('summer party');
  expect(row.password_hash).toMatch(/^\$argon2id\$/);
});

test.each([
  [{ password: 'short' }, /Expected a password of 8 to 200 visible characters, got 5/],
  [{ password: '' }, /got 0/],
  [{ password: 'x'.repeat(201) }, /got 201/],
  [{ dateExpires: '2020-01-01T00:00:00Z' }, /Expected dateExpires to be a time in the future, such as /],
  [{ dateExpires: 'tomorrow' }, /Expected dateExpires to be a time in the future, .+ got .+tomorrow/],
  [{ pasword: 'summer party' }, /pasword/],
])('rejects %j', async (body, message) => {
  const { status, text } = await api.call('POST', path, { body });
  expect([status, text]).toEqual([400, expect.stringMatching(message)]);
});

test('refuses e-mail domains without a mail server', async () => {
  for (const own of [path, `${path}/${(await create()).guid}`]) {
    const { status, text } = await api.call('POST', own, { body: { emailDomains: ['example.com'] } });
    expect([status, text]).toEqual([400, expect.stringMatching(/no mail server is configured.+MILLRACE_SMTP_URL/)]);
    expect((await api.call('POST', own, { body: { emailDomains: [] } })).status).toBe(200);
  }
});

test('a video has at most 100 shares', async () => {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Much shared' } });
  const own = `/library/1/videos/${Object(body).guid}/shares`;
  for (let count = 0; count < 100; count += 1) expect((await api.call('POST', own)).status).toBe(200);
  const { status, text } = await api.call('POST', own);
  expect([status, text]).toEqual([400, expect.stringMatching(/already has 100 shares/)]);
});

test("another library's key and a read-only key cannot manage a share", async () => {
  const { guid } = await create();
  const foreign = `/library/${api.second.id}/videos/${path.split('/')[4]}/shares`;
  for (const own of [path, `${path}/${guid}`]) {
    expect((await api.call('POST', own, { key: api.second.key, body: {} })).status).toBe(401);
    expect((await api.call('POST', own, { key: api.first.readOnlyKey, body: {} })).status).toBe(403);
  }
  expect((await api.call('DELETE', `${path}/${guid}`, { key: api.second.key })).status).toBe(401);
  expect((await api.call('GET', foreign, { key: api.second.key })).status).toBe(404);
  expect((await api.call('DELETE', `${foreign}/${guid}`, { key: api.second.key })).status).toBe(404);
  expect((await api.call('POST', `${foreign}/${guid}`, { key: api.second.key, body: {} })).status).toBe(404);
});

test('an editor creates shares in their own name, and a viewer cannot list them', async () => {
  const editor = await join(api, { role: 'editor', email: 'ed@example.com' });
  const viewer = await join(api, { role: 'viewer', email: 'vi@example.com' });
  const made = await api.call('POST', path, { key: null, headers: editor.headers, body: {} });
  expect(made.body).toMatchObject({ createdBy: 'ed@example.com' });
  expect((await api.call('GET', path, { key: null, headers: viewer.headers })).status).toBe(403);
});

test('the audit log records each change with its share, but no password', async () => {
  const { guid } = await create({ password: 'summer party' });
  await api.call('POST', `${path}/${guid}`, { body: { password: 'autumn party' } });
  await api.call('DELETE', `${path}/${guid}`);
  const lines = await api.database.db.selectFrom('audit_line').selectAll().orderBy('id').execute();
  const own = lines.filter(({ targets }) => JSON.stringify(targets).includes(guid));
  expect(own.map(({ operation }) => operation)).toEqual(['createShare', 'updateShare', 'deleteShare']);
  expect(JSON.stringify(lines)).not.toMatch(/(summer|autumn) party/);
});

test('a video in the trash has no shares until it is restored', async () => {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Trashed' } });
  const video = `/library/1/videos/${Object(body).guid}`;
  const { guid } = Object((await api.call('POST', `${video}/shares`)).body);
  await api.call('DELETE', `${video}?trash=true`);
  expect((await api.call('GET', `${video}/shares`)).status).toBe(404);
  await api.call('POST', `/library/1/trash/${Object(body).guid}/restore`);
  expect(Object((await api.call('GET', `${video}/shares`)).body).items).toMatchObject([{ guid }]);
});

test('oEmbed describes a share page unless it has a password, has expired or does not exist', async () => {
  const ask = (url: string) => api.call('GET', `/OEmbed?${new URLSearchParams({ url })}`, { key: null });
  const open = await create();
  const { status, body } = await ask(open.url);
  expect(status).toBe(200);
  expect(Object(body).html).toContain(`<iframe src="${open.url}/player" title="A &quot;quoted&quot; &lt;title&gt;"`);
  const guarded = await create({ password: 'summer party' });
  const over = await create({ dateExpires: inAnHour() });
  const { db } = api.database;
  await db
    .updateTable('share')
    .set({ expires_at: new Date(0) })
    .where('id', '=', over.guid)
    .execute();
  for (const url of [guarded.url, over.url, `http://edge.test/share/${'a'.repeat(43)}`]) {
    const refused = await ask(url);
    expect([refused.status, refused.text]).toEqual([404, expect.not.stringContaining('quoted')]);
  }
});
