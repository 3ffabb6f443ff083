import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSmtpMailer } from '../../src/adapters/mailer/open-smtp-mailer.ts';
import { createShareStore, type ShareFields, type ShareKey } from '../../src/catalog/shares/share-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import type { Mailer } from '../../src/ports/mailer.ts';
import { FOUR_VIEWS, lookAtPage } from '../support/look-at-page.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';
import { cookieOf, expectNoMailFrom, newClient, open, requestCodeFrom, SENT, send } from './share-code-requests.ts';
import { SESSION_SECRET, type TestEdge } from './start-test-edge.ts';

const DOMAINS = ['example.com'];
const PASSWORD = 'summer party';
const PATIENCE = { timeout: 60_000 };

let fixture: PlayerFixture;
let edge: TestEdge;
let mail: MailServer;
let mailer: Mailer;
let shown: PublishedFilm;
const shares = () => createShareStore({ db: fixture.database.db, secretBox: createSecretBox(TEST_SECRET) });

beforeAll(async () => {
  mail = await startMailServer();
  fixture = await openPlayerFixture(72, [90]);
  mailer = openSmtpMailer({ url: mail.url, user: null, password: null, from: 'videos@millrace.test' });
  edge = await fixture.edges.start({ mailer, trustedProxies: ['127.0.0.1'] });
  shown = await fixture.publish({ access: { playerTokenRequired: true } });
});
beforeEach(() => void mail.mails.splice(0));
// Later parts of the set-up do not exist if an earlier one failed.
afterAll(async () => {
  mailer?.close();
  await mail?.close();
  await edge?.close();
  await fixture?.close();
});

type Made = { key: ShareKey; url: string };

async function share(fields: Partial<ShareFields> = {}): Promise<Made> {
  const { libraryId, mediaId } = shown;
  const basic = { password: null, emailDomains: DOMAINS, allowsDownload: true, expiresAt: null, createdBy: 'test' };
  const { id, token } = await shares().create({ libraryId, mediaId }, { ...basic, ...fields });
  return { key: { libraryId, mediaId, shareId: id }, url: `${edge.base}/share/${token}` };
}

const requestCode = (url: string, email?: string) => requestCodeFrom(mail, url, email);
const expectNoMail = (url: string) => expectNoMailFrom(mail, url);

test('a viewer enters an address and the code from the e-mail, and sees the video', async () => {
  const { url } = await share();
  const page = await fixture.browser.newPage({ extraHTTPHeaders: newClient() });
  await page.goto(url);
  await lookAtPage('share-email', page, { views: FOUR_VIEWS });
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByText(SENT).waitFor(PATIENCE);
  await lookAtPage('share-code', page, { views: FOUR_VIEWS });
  await page.getByRole('link', { name: 'Use another address' }).click();
  expect(await page.getByLabel('E-mail address').inputValue()).toBe('');
  await page.goBack();
  // Sends no other code.
  await page.reload();
  await page.getByText(SENT).waitFor(PATIENCE);
  await page.getByLabel('Code').fill('123');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('alert').getByText('The code is wrong or has expired.').waitFor(PATIENCE);
  await lookAtPage('share-code-wrong', page, { views: FOUR_VIEWS });
  const code = await mail.takeCode('grace@example.com');
  await page.getByLabel('Code').fill(` ${code.slice(0, 4)} ${code.slice(4)} `);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.frameLocator('#player').locator('media-controller[ready]').waitFor(PATIENCE);
  expect(mail.mails).toEqual([]);
  await page.close();
});

test('above the limits, a code that was sent before can still be entered', async () => {
  const { url } = await share();
  const email = 'limited@other.test';
  const client = newClient();
  const cookie = cookieOf(await send(url, { email }, client));
  for (let count = 0; count < 2; count += 1) await send(url, { email }, client);
  const formOf = async (fields: Record<string, string>, headers = {}) => {
    const answer = await send(url, fields, { ...client, ...headers });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([429, expect.stringContaining('Too many attempts.')]);
    return text.includes('name="code"') ? 'code' : 'address';
  };
  expect(await formOf({ email }, { cookie })).toBe('code');
  expect(await formOf({ email })).toBe('address');
  for (let count = 0; count < 20; count += 1) await send(url, { email, code: '00000000' }, client);
  expect(await formOf({ email, code: '00000000' })).toBe('code');
});

test('shows nothing about the video, and no domain, before the code', async () => {
  const { url } = await share();
  for (const part of ['', '/player', '/download']) {
    const answer = await open(url + part);
    const text = await answer.text();
    expect(answer.status).toBe(403);
    for (const secret of ['A film', 'og:', 'oembed', shown.mediaId, 'vz-', 'example.com']) {
      expect(text, `${part} ${secret}`).not.toContain(secret);
    }
  }
});

test('addresses of other domains get the same response and no e-mail', async () => {
  const { url } = await share({ emailDomains: ['example.com', '*.sub.test'] });
  const textOf = async (email: string) => {
    const sent = await send(url, { email });
    const cookie = cookieOf(sent);
    const text = (await (await open(url, { cookie })).text()).replaceAll(email, 'ADDRESS');
    const value = Buffer.from(email).toString('base64url');
    const all = [...sent.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id').join('\n');
    return [sent.status, await sent.text(), all.replace(value, 'ADDRESS'), text.replaceAll(/nonce="[^"]+"/g, '')];
  };
  const others = ['a@other.test', 'a@mail.example.com', 'a@example.com.evil.test', 'a@badexample.com'];
  const expected = await textOf('first@example.com');
  for (const email of [...others, 'a@sub.test']) {
    expect(await textOf(email), email).toEqual(expected);
  }
  expect(await textOf('a@x.sub.test')).toEqual(expected);
  await mail.takeCode('first@example.com');
  await mail.takeCode('a@x.sub.test');
  expect(mail.mails).toEqual([]);
});

test.each([
  'ada@example.com\r\nBcc: eve@evil.test',
  'ada@example.com\nSubject: hello',
  'ada@example.com, eve@evil.test',
  'ada@example.com;eve@evil.test',
  'Ada <ada@example.com>',
  '"ada\r\n"@example.com',
  'ada@example.com%0d%0aBcc:eve@evil.test',
  'ada@exam ple.com',
  'ada@@example.com',
  `${'a'.repeat(300)}@example.com`,
  '',
])('refuses the address %j', async (email) => {
  const { url } = await share();
  const answer = await send(url, { email });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Enter an e-mail address.')]);
  await expectNoMail(url);
});

test('an e-mail has one recipient, a code and nothing about the video', async () => {
  const { url } = await share({ emailDomains: ['bücher.example', 'xn--bcher-kva.example'] });
  await send(url, { email: 'Ada.Lovelace@BÜCHER.example' });
  await expect.poll(() => mail.mails.length, PATIENCE).toBe(1);
  const [{ to, data } = { to: [], data: '' }] = mail.mails.splice(0);
  expect(to).toHaveLength(1);
  expect(data).toMatch(/^To: Ada\.Lovelace@xn--bcher-kva\.example\r?$/m);
  expect(data).toMatch(/^From: videos@millrace\.test\r?$/m);
  expect(data).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  expect(data.match(/^(To|Cc|Bcc):/gim)).toEqual(['To:']);
  for (const secret of ['A film', '/share/', shown.mediaId]) expect(data).not.toContain(secret);
});

test('a code opens its share once, for its address, and only while it is valid', async () => {
  const [{ url, key }, other] = [await share(), await share()];
  const code = await requestCode(url);
  const enter = async (at: string, fields: Record<string, string>) => (await send(at, fields)).status;
  expect(await enter(other.url, { email: 'ada@example.com', code })).toBe(403);
  expect(await enter(url, { email: 'bob@example.com', code })).toBe(403);
  const right = await send(url, { email: 'ADA@example.com', code });
  expect([right.status, right.headers.get('location')]).toEqual([303, new URL(url).pathname]);
  expect(right.headers.get('set-cookie')).toMatch(/^millrace-share-email=.+; Path=\/share\/.+; HttpOnly; SameSite=Lax/);
  const cookie = cookieOf(right);
  expect((await open(url, { cookie })).status).toBe(200);
  expect((await open(other.url, { cookie })).status).toBe(403);
  expect(await enter(url, { email: 'ada@example.com', code })).toBe(403);
  const late = await requestCode(url, 'late@example.com');
  const { db } = fixture.database;
  await db
    .updateTable('share_code')
    .set({ expires_at: new Date(Date.now() - 1) })
    .execute();
  expect(await enter(url, { email: 'late@example.com', code: late })).toBe(403);
  // A change of the domains ends all passes, and the codes of addresses that no longer match.
  const stale = await requestCode(url, 'stale@example.com');
  await shares().update(key, { emailDomains: ['example.org'] });
  await expect.poll(async () => (await open(url, { cookie })).status, PATIENCE).toBe(403);
  expect(await enter(url, { email: 'stale@example.com', code: stale })).toBe(403);
  const fresh = await requestCode(url, 'fresh@example.org');
  expect(await enter(url, { email: 'fresh@example.org', code: fresh })).toBe(303);
});

test('two requests with the same code get one pass', async () => {
  const { url } = await share();
  const code = await requestCode(url);
  const both = await Promise.all([1, 2].map(() => send(url, { email: 'ada@example.com', code })));
  expect(both.map(({ status }) => status).sort()).toEqual([303, 403]);
});

test('five wrong codes end a code, and guesses are limited per address', async () => {
  const { url } = await share();
  const code = await requestCode(url);
  expect(code).toMatch(/^\d{8}$/);
  const wrongOf = (right: string) => (right === '00000000' ? '00000001' : '00000000');
  const wrong = wrongOf(code);
  for (let count = 0; count < 5; count += 1) await send(url, { email: 'ada@example.com', code: wrong });
  expect((await send(url, { email: 'ada@example.com', code })).status).toBe(403);
  const kept = await requestCode(url, 'bob@example.com');
  for (let count = 0; count < 4; count += 1) await send(url, { email: 'bob@example.com', code: wrongOf(kept) });
  expect((await send(url, { email: 'bob@example.com', code: kept })).status).toBe(303);
  const guesser = newClient();
  for (let count = 0; count < 20; count += 1) {
    expect((await send(url, { email: `a${count}@example.com`, code: wrong }, guesser)).status).toBe(403);
  }
  expect((await send(url, { email: 'ada@example.com', code: wrong }, guesser)).status).toBe(429);
});

test('codes are limited per mailbox and per client, for addresses of all domains alike', async () => {
  for (const domain of ['example.com', 'other.test']) {
    const { url } = await share();
    const emails = [`ada@${domain}`, `ADA@${domain}`, `ada+tag@${domain}`, `ada@${domain}`];
    const statuses = [];
    for (const email of emails) statuses.push((await send(url, { email })).status);
    expect(statuses, domain).toEqual([303, 303, 303, 429]);
  }
  const [{ url }, client] = [await share(), newClient()];
  const statuses = [];
  for (let count = 0; count < 21; count += 1) {
    statuses.push((await send(url, { email: `a${count}@other.test` }, client)).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 303), 429]);
  await expect.poll(() => mail.mails.length, PATIENCE).toBe(3);
});

test('during a rotation of the secret key, a code of the former key is accepted', async () => {
  const sessionSecret = () => [createSecretKey(Buffer.alloc(32, 1)), SESSION_SECRET] as const;
  const rotated = await fixture.edges.start({ mailer, sessionSecret });
  onTestFinished(() => rotated.close());
  const { url } = await share();
  const code = await requestCode(url);
  const there = url.replace(edge.base, rotated.base);
  const right = await send(there, { email: 'ada@example.com', code });
  expect(right.status).toBe(303);
  expect((await open(there, { cookie: cookieOf(right) })).status).toBe(200);
});

test('a share with password and domains needs both', async () => {
  const { url } = await share({ password: PASSWORD });
  expect(await (await open(url)).text()).toContain('Password');
  // The form for the address is shown only after the password.
  expect(await (await send(url, { email: 'ada@example.com' })).text()).toContain('The password is wrong.');
  const first = cookieOf(await send(url, { password: PASSWORD }));
  expect(await (await open(url, { cookie: first })).text()).toContain('E-mail address');
  await send(url, { email: 'ada@example.com' }, { ...newClient(), cookie: first });
  const code = await mail.takeCode('ada@example.com');
  const fields = { email: 'ada@example.com', code };
  const second = cookieOf(await send(url, fields, { ...newClient(), cookie: first }));
  expect((await open(url, { cookie: second })).status).toBe(403);
  expect((await open(url, { cookie: `${first}; ${second}` })).status).toBe(200);
  await expectNoMail((await share()).url);
});

test('the database has neither addresses nor codes, and expired codes are deleted', async () => {
  const { url, key } = await share();
  const code = await requestCode(url, 'first@example.com');
  const { db } = fixture.database;
  const rowsOf = () => db.selectFrom('share_code').selectAll().where('share_id', '=', key.shareId).execute();
  const stored = (await rowsOf()).map((row) => Buffer.concat([row.address_hash, row.code_hash]).toString('latin1'));
  expect(stored).toHaveLength(1);
  for (const secret of ['first', 'example', code]) expect(stored.join()).not.toContain(secret);
  await db
    .updateTable('share_code')
    .set({ expires_at: new Date(Date.now() - 1) })
    .execute();
  const before = (await rowsOf())[0]?.address_hash;
  await requestCode(url, 'second@example.com');
  const after = (await rowsOf()).map(({ address_hash }) => address_hash);
  expect(after).toHaveLength(1);
  expect(after).not.toEqual([before]);
});

test('without a mail server the page stays closed', async () => {
  const bare = await fixture.edges.start({});
  onTestFinished(() => bare.close());
  const { url } = await share();
  const there = url.replace(edge.base, bare.base);
  expect(await (await open(there)).text()).toContain('No codes can be sent at the moment.');
  const answer = await send(there, { email: 'ada@example.com' });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('No codes can be sent')]);
});

test('an expired share does not ask for an e-mail address', async () => {
  const { url, key } = await share();
  await shares().update(key, { expiresAt: new Date(Date.now() - 1) });
  await expect.poll(async () => (await open(url)).status, PATIENCE).toBe(410);
  expect((await send(url, { email: 'ada@example.com' })).status).toBe(410);
  await expectNoMail((await share()).url);
});
