import { expect, test } from 'vitest';
import { readStreamId } from './stream-id.ts';

test.each([
  { sent: 'key', name: { name: 'key', slot: 'primary' } },
  { sent: '#!::r=key,m=publish', name: { name: 'key', slot: 'primary' } },
  { sent: '#!::m=publish,r=key,slot=backup,u=somebody', name: { name: 'key', slot: 'backup' } },
  { sent: '%23%21%3A%3Ar%3Dkey%2Cm%3Dpublish', name: { name: 'key', slot: 'primary' } },
  { sent: 'publish:key', name: { name: 'key', slot: 'primary' } },
  { sent: 'live/key ', name: { name: 'key', slot: 'primary' } },
  { sent: '#!::r=live/key,m=publish', name: { name: 'key', slot: 'primary' } },
  { sent: '#!::r=key,m=request', name: null },
  { sent: '#!::u=somebody', name: null },
  { sent: '%23%', name: { name: '%23%', slot: 'primary' } },
  { sent: '', name: null },
  { sent: 'k'.repeat(513), name: null },
])('parses the stream id $sent', ({ sent, name }) => {
  expect(readStreamId(sent)).toEqual(name);
});
