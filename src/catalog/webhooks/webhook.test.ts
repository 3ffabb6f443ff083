import { expect, test } from 'vitest';
import { parseGuid } from '../../lib/guid.ts';
import { retryDelaySec, webhookBody, webhookHeaders } from './webhook.ts';

const id = parseGuid('0192f000-0000-7000-8000-000000000001');
const mediaId = parseGuid('657bb740-a71b-4529-a012-528021c31a92');
if (id === null || mediaId === null) throw new Error('Expected both to be GUIDs.');
const event = { id, libraryId: 133, mediaId, status: 3 };

test('a delivery is signed as published receivers check it', () => {
  expect(webhookBody(event)).toBe(
    '{"VideoLibraryId":133,"VideoGuid":"657bb740-a71b-4529-a012-528021c31a92","Status":3}',
  );
  expect(webhookHeaders(event, 'read-only-key', 1_700_000_000_000)).toMatchObject({
    'X-BunnyStream-Signature': '95ba721a9a8ee56efa4ce19d45dba902747c0effc76c76a6d3d316f1f332cfd8',
    'webhook-id': event.id,
    'webhook-timestamp': '1700000000',
  });
});

test('waits grow from seconds to hours', () => {
  expect([1, 2, 3, 9, 10, 50].map(retryDelaySec)).toEqual([5, 15, 60, 14_400, 14_400, 14_400]);
});
