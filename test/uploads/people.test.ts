import { afterAll, beforeAll, expect, test } from 'vitest';
import { join, type TestPerson } from '../support/people.ts';
import { startUploadFixture, type UploadFixture } from './upload-fixture.ts';

let fixture: UploadFixture;
beforeAll(async () => {
  fixture = await startUploadFixture();
});
afterAll(async () => {
  expect(fixture.faults).toEqual([]);
  await fixture.stop();
});

/** Opens a resumable upload as a page of the dashboard does. */
async function open({ headers }: TestPerson) {
  const body = { title: 'New' };
  const { guid } = Object((await fixture.call('POST', '/library/1/videos', { key: null, headers, body })).body);
  const path = `/dashboard/libraries/1/videos/${guid}/upload-signature`;
  const signature = Object((await fixture.call('POST', path, { key: null, headers })).body);
  const signed = { 'Tus-Resumable': '1.0.0', ...signature };
  const created = await fetch(`${fixture.url}/tusupload`, {
    method: 'POST',
    headers: { ...signed, 'Upload-Length': '6' },
  });
  expect(created.status).toBe(201);
  const address = `${fixture.url}${new URL(String(created.headers.get('location')), fixture.url).pathname}`;
  const append = async (text: string, offset: number, changes: Record<string, string> = {}) => {
    const piece = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset) };
    return (await fetch(address, { method: 'PATCH', headers: { ...signed, ...piece, ...changes }, body: text })).status;
  };
  return { append };
}

const change = (id: string, body: object) =>
  fixture.call('POST', `/people/${id}`, { key: fixture.first.accountKey, body });

test("a person can upload with a signature from the dashboard, but not with another person's session", async () => {
  const person = await join(fixture, { role: 'uploader', email: 'uploads@example.com' });
  const other = await join(fixture, { role: 'uploader', email: 'other@example.com' });
  const { append } = await open(person);
  expect(await append('abc', 0, { AuthorizationSession: other.sessionId })).toBe(401);
  expect(await append('abc', 0)).toBe(204);
  expect(await append('def', 3)).toBe(204);
});

test.each([
  ['is disabled', (id: string) => change(id, { Status: 'disabled' })],
  ['loses the right to upload', (id: string) => change(id, { Role: 'viewer' })],
])('the open upload of a person who %s is refused', async (what, end) => {
  const person = await join(fixture, { role: 'uploader', email: `${what.replaceAll(' ', '-')}@example.com` });
  const { append } = await open(person);
  expect(await append('abc', 0)).toBe(204);
  await end(person.id);
  expect(await append('def', 3)).toBe(401);
});
