import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseGuid } from '../../lib/guid.ts';
import { judgeStatus, redirectTarget, retryDelaySec, WebhookStatus, webhookBody, webhookHeaders } from './webhook.ts';

const id = parseGuid('0192f000-0000-7000-8000-000000000001');
const mediaId = parseGuid('657bb740-a71b-4529-a012-528021c31a92');
if (id === null || mediaId === null) throw new Error('Expected both to be GUIDs.');
const event = { id, libraryId: 133, mediaId, status: 3, isIncomplete: false, detail: null };

test('signs a delivery as published receivers verify it', () => {
  expect(webhookBody(event)).toBe(
    '{"VideoLibraryId":133,"VideoGuid":"657bb740-a71b-4529-a012-528021c31a92","Status":3}',
  );
  expect(webhookBody({ ...event, isIncomplete: true })).toBe(
    '{"VideoLibraryId":133,"VideoGuid":"657bb740-a71b-4529-a012-528021c31a92","Status":3,"Incomplete":true}',
  );
  expect(webhookHeaders(event, ['read-only-key'], 1_700_000_000_000)).toMatchObject({
    'X-BunnyStream-Signature': '95ba721a9a8ee56efa4ce19d45dba902747c0effc76c76a6d3d316f1f332cfd8',
    'webhook-id': event.id,
    'webhook-timestamp': '1700000000',
  });
});

test('retry delays grow from seconds to hours', () => {
  expect([1, 2, 3, 9, 10, 50].map(retryDelaySec)).toEqual([5, 15, 60, 14_400, 14_400, 14_400]);
});

test('signs the id, the time and the body of each attempt as specified by Standard Webhooks', () => {
  const at = (nowMs: number) => {
    const headers = webhookHeaders(event, ['read-only-key'], nowMs);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${webhookBody(event)}`;
    const wanted = createHmac('sha256', Buffer.from('read-only-key')).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${wanted}`);
    return headers;
  };
  const [first, second] = [at(1_700_000_000_999), at(1_700_000_005_000)];
  expect([first['webhook-timestamp'], second['webhook-timestamp']]).toEqual(['1700000000', '1700000005']);
  expect(second['webhook-id']).toBe(first['webhook-id']);
  expect(second['webhook-signature']).not.toBe(first['webhook-signature']);
});

test('signs with the current key and with former keys', () => {
  const nowMs = 1_700_000_000_000;
  const [current, former] = [['new key'], ['old key']].map((keys) => webhookHeaders(event, keys, nowMs));
  const both = webhookHeaders(event, ['new key', 'old key'], nowMs);
  expect(both['webhook-signature']).toBe(`${current?.['webhook-signature']} ${former?.['webhook-signature']}`);
  expect(both['X-BunnyStream-Signature']).toBe(current?.['X-BunnyStream-Signature']);
});

test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [303, 'failed'],
  [404, 'failed'],
  [410, 'gone'],
  [429, 'failed'],
  [500, 'failed'],
])('classifies a response of %i as %s', (status, kind) => {
  expect(judgeStatus(status)).toEqual({ kind, answer: `HTTP ${status}` });
});

test('follows redirects that keep a POST, but never from https to http', () => {
  expect(redirectTarget(308, '/new?a=1', 'https://example.com/hook')).toBe('https://example.com/new?a=1');
  expect(redirectTarget(302, 'https://other.example/', 'http://example.com/hook')).toBe('https://other.example/');
  expect(redirectTarget(303, '/new', 'https://example.com/hook')).toBeNull();
  expect(redirectTarget(307, undefined, 'https://example.com/hook')).toBeNull();
  expect(() => redirectTarget(307, 'http://example.com/', 'https://example.com/hook')).toThrow('from https to http:');
  expect(() => redirectTarget(307, 'http://[', 'https://example.com/hook')).toThrow('invalid URL');
});

test('docs/webhooks.md lists every status', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');
  const listed = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
  expect(listed).toEqual(Object.values(WebhookStatus).toSorted((a, b) => a - b));
});
