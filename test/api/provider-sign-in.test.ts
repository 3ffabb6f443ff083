import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { CLIENT } from '../support/identity-provider.ts';
import { invite, join } from '../support/people.ts';
import { browserHeaders, openProviderFixture, type ProviderFixture, sessionOf } from '../support/provider-fixture.ts';

let fixture: ProviderFixture;
let service: TestApi;
let providerId: string;
beforeAll(async () => {
  fixture = await openProviderFixture();
  ({ service, providerId } = fixture);
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

test('an invited person signs in with a verified address, and by subject from then on', async () => {
  fixture.addAccount('ada');
  const { id, secret } = await invite(service, { Email: 'Ada@Example.com', Role: 'editor' });
  const shown = await service.call('GET', '/dashboard/sign-in', { key: null });
  expect(Object(shown.body).providers).toEqual([{ id: providerId, name: 'Campus' }]);
  const first = await fixture.signIn('ada', { returnTo: '/dashboard/library/1/videos?search=x' });
  expect(first).toMatchObject({ status: 303, location: '/dashboard/library/1/videos?search=x' });
  expect(await fixture.personOf(first)).toMatchObject({ id, email: 'Ada@Example.com', role: 'editor' });
  expect(first.cookies.join()).toMatch(/millrace=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict/);
  const used = await service.call('POST', '/dashboard/invitation', {
    key: null,
    headers: browserHeaders(service),
    body: { secret },
  });
  expect(used.status).toBe(401);
  fixture.addAccount('ada', { email: 'other-ada@example.com' });
  expect(await fixture.personOf(await fixture.signIn('ada'))).toMatchObject({ id });
});

test('nobody is created without a default role or a group with a role', async () => {
  fixture.addAccount('stranger', { groups: ['students'] });
  expect((await fixture.signIn('stranger')).location).toBe('/?sign-in=unknown');
  await fixture.configure({ GroupClaim: 'groups', GroupRoles: [{ Group: 'staff', Role: 'admin' }] });
  expect((await fixture.signIn('stranger')).location).toBe('/?sign-in=unknown');
});

test('people are created with the default role, and keep later changes', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('grace');
  const person = await fixture.personOf(await fixture.signIn('grace'));
  expect(person).toMatchObject({ email: 'grace@example.com', name: 'Person grace', role: 'viewer' });
  expect((await fixture.account('POST', `/people/${person.id}`, { Role: 'editor' })).status).toBe(200);
  expect(await fixture.personOf(await fixture.signIn('grace'))).toMatchObject({ id: person.id, role: 'editor' });
});

test('groups determine the roles of created people at each sign-in, and the highest role applies', async () => {
  const groupRoles = [
    { Group: 'students', Role: 'viewer' },
    { Group: 'staff', Role: 'editor' },
    { Group: 'film club', Role: 'uploader', LibraryId: 1 },
  ];
  await fixture.configure({ GroupClaim: 'groups', GroupRoles: groupRoles });
  fixture.addAccount('alan', { groups: ['students', 'staff', 'others'] });
  const first = await fixture.signIn('alan');
  const person = await fixture.personOf(first);
  expect(person).toMatchObject({ role: 'editor' });
  fixture.addAccount('alan', { groups: ['film club'] });
  await fixture.signIn('alan');
  const { body } = await fixture.account('GET', '/people?perPage=1000');
  const stored = Object(body).Items.find(({ Id }: { Id: string }) => Id === person.id);
  expect(stored).toMatchObject({ Role: null, LibraryRoles: [{ LibraryId: 1, Role: 'uploader' }] });
  fixture.addAccount('alan', { groups: ['others'] });
  expect((await fixture.signIn('alan')).location).toBe('/?sign-in=no-role');
  const ended = await service.call('GET', '/dashboard/session', { key: null, headers: { Cookie: sessionOf(first) } });
  expect(ended.status).toBe(401);
});

test('groups do not change the role of an invited person', async () => {
  await invite(service, { Email: 'invited@example.com', Role: 'analyst' });
  await fixture.configure({ GroupClaim: 'groups', GroupRoles: [{ Group: 'staff', Role: 'admin' }] });
  fixture.addAccount('invited', { groups: ['staff'] });
  expect(await fixture.personOf(await fixture.signIn('invited'))).toMatchObject({ role: 'analyst' });
  expect(await fixture.personOf(await fixture.signIn('invited'))).toMatchObject({ role: 'analyst' });
});

test('a group never demotes the last owner', async () => {
  const groupRoles = [
    { Group: 'chiefs', Role: 'owner' },
    { Group: 'staff', Role: 'viewer' },
  ];
  await fixture.configure({ GroupClaim: 'groups', GroupRoles: groupRoles });
  fixture.addAccount('chief', { groups: ['chiefs'] });
  expect(await fixture.personOf(await fixture.signIn('chief'))).toMatchObject({ role: 'owner' });
  for (const groups of [['staff'], []]) {
    fixture.addAccount('chief', { groups });
    expect(await fixture.personOf(await fixture.signIn('chief'))).toMatchObject({ role: 'owner' });
  }
  await join(service, { role: 'owner', email: 'second-chief@example.com' });
  fixture.addAccount('chief', { groups: ['staff'] });
  expect(await fixture.personOf(await fixture.signIn('chief'))).toMatchObject({ role: 'viewer' });
});

test.each([
  ['false', false, '/?sign-in=email'],
  ['text', 'false', '/?sign-in=email'],
  ['null', null, '/?sign-in=email'],
  ['missing', undefined, '/'],
])('an address whose email_verified is %s is refused', async (name, verified, whenTrusted) => {
  await join(service, { role: 'viewer', email: `victim-${name}@example.com` });
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount(`attacker-${name}`, { email: `victim-${name}@example.com`, email_verified: verified });
  expect((await fixture.signIn(`attacker-${name}`)).location).toBe('/?sign-in=email');
  // Providers that set all addresses themselves may omit the claim.
  await fixture.configure({ TrustsEmail: true });
  expect((await fixture.signIn(`attacker-${name}`)).location).toBe(whenTrusted);
});

test('an address whose email_verified is the text true is accepted', async () => {
  const { id } = await join(service, { role: 'viewer', email: 'texted@example.com' });
  fixture.addAccount('texted', { email: 'texted@example.com', email_verified: 'true' });
  expect(await fixture.personOf(await fixture.signIn('texted'))).toMatchObject({ id });
});

test('only people with addresses of the accepted domains can sign in, even after they were linked', async () => {
  await fixture.configure({ DefaultRole: 'viewer', EmailDomains: ['Example.com'] });
  fixture.addAccount('outsider', { email: 'outsider@notexample.com' });
  fixture.addAccount('tricky', { email: 'x@example.com@evil.example' });
  fixture.addAccount('member');
  expect((await fixture.signIn('outsider')).location).toBe('/?sign-in=domain');
  expect((await fixture.signIn('tricky')).location).toBe('/?sign-in=email');
  await fixture.personOf(await fixture.signIn('member'));
  await fixture.configure({ EmailDomains: ['example.org'] });
  expect((await fixture.signIn('member')).location).toBe('/?sign-in=domain');
});

test('a changed address at the provider does not open the account of another person', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('victim');
  const victim = await fixture.personOf(await fixture.signIn('victim'));
  fixture.addAccount('mallory');
  const mallory = await fixture.personOf(await fixture.signIn('mallory'));
  fixture.addAccount('mallory', { email: 'victim@example.com' });
  expect(await fixture.personOf(await fixture.signIn('mallory'))).toMatchObject({
    id: mallory.id,
    email: 'mallory@example.com',
  });
  fixture.addAccount('newcomer', { email: 'VICTIM@example.com' });
  expect((await fixture.signIn('newcomer')).location).toBe('/?sign-in=taken');
  expect(await fixture.personOf(await fixture.signIn('victim'))).toMatchObject({ id: victim.id });
});

test('a disabled person is refused, linked or not, and signs in again after being enabled', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('leaver');
  const { id } = await fixture.personOf(await fixture.signIn('leaver'));
  await fixture.account('POST', `/people/${id}`, { Status: 'disabled' });
  expect((await fixture.signIn('leaver')).location).toBe('/?sign-in=disabled');
  expect(Object((await fixture.account('POST', `/people/${id}`, { Status: 'active' })).body).Status).toBe('active');
  await fixture.personOf(await fixture.signIn('leaver'));
  const unlinked = await join(service, { role: 'viewer', email: 'unlinked@example.com' });
  await fixture.account('POST', `/people/${unlinked.id}`, { Status: 'disabled' });
  fixture.addAccount('unlinked');
  expect((await fixture.signIn('unlinked')).location).toBe('/?sign-in=disabled');
});

test('the client secret is stored sealed and never returned', async () => {
  expect((await fixture.account('GET', '/sign-in-providers')).text).not.toContain(CLIENT.secret);
  const rows = await service.database.db.selectFrom('sign_in_provider').select('client_secret_sealed').execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row.client_secret_sealed?.toString('latin1')).not.toContain(CLIENT.secret);
});

test.each([
  [{ Issuer: 'http://id.example.com' }, 'Issuer'],
  [{ Issuer: 'https://user:pass@id.example.com' }, 'user name'],
  [{ Issuer: 'id.example.com' }, 'not a URL'],
  [{ Issuer: 'https://id.example.com/?tenant=1' }, 'query'],
  [{ Issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'all tenants'],
  [{ DefaultRole: 'owner' }, 'default role'],
  [{ Scopes: 'email profile' }, 'openid'],
  [{ EmailDomains: ['someone@example.com'] }, 'domain'],
  [{ GroupRoles: [{ Group: 'x', Role: 'viewer', LibraryId: 999_999 }] }, 'Library 999999'],
])('a provider with %j is refused', async (body, says) => {
  const answer = await fixture.account('POST', `/sign-in-providers/${providerId}`, body);
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(says)]);
});

test('only owners see and change providers', async () => {
  const admin = await join(service, { role: 'admin', email: 'no-owner@example.com' });
  const asAdmin = (method: string, path: string, body?: object) =>
    service.call(method, path, { key: null, headers: admin.headers, ...(body !== undefined && { body }) });
  expect((await asAdmin('GET', '/sign-in-providers')).status).toBe(403);
  expect((await asAdmin('POST', `/sign-in-providers/${providerId}`, { DefaultRole: 'admin' })).status).toBe(403);
});

test('the audit log names people whom a provider created', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('audited');
  const person = await fixture.personOf(await fixture.signIn('audited'));
  const rows = await service.database.db
    .selectFrom('audit_line')
    .select(['operation', 'targets'])
    .where('key_name', '=', `${person.id} ${person.email}`)
    .orderBy('id')
    .execute();
  expect(rows).toEqual([
    { operation: 'createPersonBySignIn', targets: { providerId } },
    { operation: 'signIn', targets: { method: 'provider' } },
  ]);
});
