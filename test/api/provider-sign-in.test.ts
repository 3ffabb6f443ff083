import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { CLIENT } from '../support/identity-provider.ts';
import { invite, join } from '../support/people.ts';
import { browserHeaders, openProviderRoom, type ProviderRoom, sessionOf } from '../support/provider-room.ts';

let room: ProviderRoom;
let service: TestApi;
let providerId: string;
beforeAll(async () => {
  room = await openProviderRoom();
  ({ service, providerId } = room);
});
afterEach(() => room.reset());
afterAll(() => room.stop());

test('an invited person signs in with a verified address, and by subject from then on', async () => {
  room.addAccount('ada');
  const { id, secret } = await invite(service, { Email: 'Ada@Example.com', Role: 'editor' });
  const shown = await service.call('GET', '/dashboard/sign-in', { key: null });
  expect(Object(shown.body).providers).toEqual([{ id: providerId, name: 'Campus' }]);
  const first = await room.signIn('ada', { returnTo: '/dashboard/library/1/videos?search=x' });
  expect(first).toMatchObject({ status: 303, location: '/dashboard/library/1/videos?search=x' });
  expect(await room.personOf(first)).toMatchObject({ id, email: 'Ada@Example.com', role: 'editor' });
  expect(first.cookies.join()).toMatch(/millrace=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict/);
  const used = await service.call('POST', '/dashboard/invitation', {
    key: null,
    headers: browserHeaders(service),
    body: { secret },
  });
  expect(used.status).toBe(401);
  room.addAccount('ada', { email: 'other-ada@example.com' });
  expect(await room.personOf(await room.signIn('ada'))).toMatchObject({ id });
});

test('nobody is created without a default role or a group with a role', async () => {
  room.addAccount('stranger', { groups: ['students'] });
  expect((await room.signIn('stranger')).location).toBe('/?sign-in=unknown');
  await room.configure({ GroupClaim: 'groups', GroupRoles: [{ Group: 'staff', Role: 'admin' }] });
  expect((await room.signIn('stranger')).location).toBe('/?sign-in=unknown');
});

test('people are created with the default role, and keep later changes', async () => {
  await room.configure({ DefaultRole: 'viewer' });
  room.addAccount('grace');
  const person = await room.personOf(await room.signIn('grace'));
  expect(person).toMatchObject({ email: 'grace@example.com', name: 'Person grace', role: 'viewer' });
  expect((await room.account('POST', `/people/${person.id}`, { Role: 'editor' })).status).toBe(200);
  expect(await room.personOf(await room.signIn('grace'))).toMatchObject({ id: person.id, role: 'editor' });
});

test('groups determine the roles of created people at each sign-in, and the highest role applies', async () => {
  const groupRoles = [
    { Group: 'students', Role: 'viewer' },
    { Group: 'staff', Role: 'editor' },
    { Group: 'film club', Role: 'uploader', LibraryId: 1 },
  ];
  await room.configure({ GroupClaim: 'groups', GroupRoles: groupRoles });
  room.addAccount('alan', { groups: ['students', 'staff', 'others'] });
  const first = await room.signIn('alan');
  const person = await room.personOf(first);
  expect(person).toMatchObject({ role: 'editor' });
  room.addAccount('alan', { groups: ['film club'] });
  await room.signIn('alan');
  const { body } = await room.account('GET', '/people?perPage=1000');
  const stored = Object(body).Items.find(({ Id }: { Id: string }) => Id === person.id);
  expect(stored).toMatchObject({ Role: null, LibraryRoles: [{ LibraryId: 1, Role: 'uploader' }] });
  room.addAccount('alan', { groups: ['others'] });
  expect((await room.signIn('alan')).location).toBe('/?sign-in=no-role');
  const ended = await service.call('GET', '/dashboard/session', { key: null, headers: { Cookie: sessionOf(first) } });
  expect(ended.status).toBe(401);
});

test('groups do not change the role of an invited person', async () => {
  await invite(service, { Email: 'invited@example.com', Role: 'analyst' });
  await room.configure({ GroupClaim: 'groups', GroupRoles: [{ Group: 'staff', Role: 'admin' }] });
  room.addAccount('invited', { groups: ['staff'] });
  expect(await room.personOf(await room.signIn('invited'))).toMatchObject({ role: 'analyst' });
  expect(await room.personOf(await room.signIn('invited'))).toMatchObject({ role: 'analyst' });
});

test('a group never demotes the last owner', async () => {
  const groupRoles = [
    { Group: 'chiefs', Role: 'owner' },
    { Group: 'staff', Role: 'viewer' },
  ];
  await room.configure({ GroupClaim: 'groups', GroupRoles: groupRoles });
  room.addAccount('chief', { groups: ['chiefs'] });
  expect(await room.personOf(await room.signIn('chief'))).toMatchObject({ role: 'owner' });
  for (const groups of [['staff'], []]) {
    room.addAccount('chief', { groups });
    expect(await room.personOf(await room.signIn('chief'))).toMatchObject({ role: 'owner' });
  }
  await join(service, { role: 'owner', email: 'second-chief@example.com' });
  room.addAccount('chief', { groups: ['staff'] });
  expect(await room.personOf(await room.signIn('chief'))).toMatchObject({ role: 'viewer' });
});

test.each([
  ['false', false, '/?sign-in=email'],
  ['text', 'false', '/?sign-in=email'],
  ['null', null, '/?sign-in=email'],
  ['missing', undefined, '/'],
])('an address whose email_verified is %s is refused', async (name, verified, whenTrusted) => {
  await join(service, { role: 'viewer', email: `victim-${name}@example.com` });
  await room.configure({ DefaultRole: 'viewer' });
  room.addAccount(`attacker-${name}`, { email: `victim-${name}@example.com`, email_verified: verified });
  expect((await room.signIn(`attacker-${name}`)).location).toBe('/?sign-in=email');
  // Providers that set all addresses themselves may omit the claim.
  await room.configure({ TrustsEmail: true });
  expect((await room.signIn(`attacker-${name}`)).location).toBe(whenTrusted);
});

test('an address whose email_verified is the text true is accepted', async () => {
  const { id } = await join(service, { role: 'viewer', email: 'texted@example.com' });
  room.addAccount('texted', { email: 'texted@example.com', email_verified: 'true' });
  expect(await room.personOf(await room.signIn('texted'))).toMatchObject({ id });
});

test('only people with addresses of the accepted domains can sign in, even after they were linked', async () => {
  await room.configure({ DefaultRole: 'viewer', EmailDomains: ['Example.com'] });
  room.addAccount('outsider', { email: 'outsider@notexample.com' });
  room.addAccount('tricky', { email: 'x@example.com@evil.example' });
  room.addAccount('member');
  expect((await room.signIn('outsider')).location).toBe('/?sign-in=domain');
  expect((await room.signIn('tricky')).location).toBe('/?sign-in=email');
  await room.personOf(await room.signIn('member'));
  await room.configure({ EmailDomains: ['example.org'] });
  expect((await room.signIn('member')).location).toBe('/?sign-in=domain');
});

test('a changed address at the provider does not open the account of another person', async () => {
  await room.configure({ DefaultRole: 'viewer' });
  room.addAccount('victim');
  const victim = await room.personOf(await room.signIn('victim'));
  room.addAccount('mallory');
  const mallory = await room.personOf(await room.signIn('mallory'));
  room.addAccount('mallory', { email: 'victim@example.com' });
  expect(await room.personOf(await room.signIn('mallory'))).toMatchObject({
    id: mallory.id,
    email: 'mallory@example.com',
  });
  room.addAccount('newcomer', { email: 'VICTIM@example.com' });
  expect((await room.signIn('newcomer')).location).toBe('/?sign-in=taken');
  expect(await room.personOf(await room.signIn('victim'))).toMatchObject({ id: victim.id });
});

test('a disabled person is refused, linked or not, and signs in again after being enabled', async () => {
  await room.configure({ DefaultRole: 'viewer' });
  room.addAccount('leaver');
  const { id } = await room.personOf(await room.signIn('leaver'));
  await room.account('POST', `/people/${id}`, { Status: 'disabled' });
  expect((await room.signIn('leaver')).location).toBe('/?sign-in=disabled');
  expect(Object((await room.account('POST', `/people/${id}`, { Status: 'active' })).body).Status).toBe('active');
  await room.personOf(await room.signIn('leaver'));
  const unlinked = await join(service, { role: 'viewer', email: 'unlinked@example.com' });
  await room.account('POST', `/people/${unlinked.id}`, { Status: 'disabled' });
  room.addAccount('unlinked');
  expect((await room.signIn('unlinked')).location).toBe('/?sign-in=disabled');
});

test('the client secret is stored sealed and never returned', async () => {
  expect((await room.account('GET', '/sign-in-providers')).text).not.toContain(CLIENT.secret);
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
  const answer = await room.account('POST', `/sign-in-providers/${providerId}`, body);
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
  await room.configure({ DefaultRole: 'viewer' });
  room.addAccount('audited');
  const person = await room.personOf(await room.signIn('audited'));
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
