import { expect, test } from 'vitest';
import { createAddressRules } from '../../lib/outbound/address-rules.ts';
import { openRelays } from './open-relays.ts';

test('reports the reason for a relay with a refused address or port, or an invalid URL', async () => {
  const reported: Error[] = [];
  const deps = { rules: createAddressRules([]), report: (error: Error) => void reported.push(error) };
  const relays = openRelays(['rtmp://10.0.0.1/live/key', 'rtmp://1.1.1.1:22/live/key', 'http://a.example/b'], deps);
  expect(relays.states()[0]).toEqual({ host: '10.0.0.1', state: 'connecting', reason: null });
  await expect
    .poll(() => relays.states())
    .toEqual([
      { host: '10.0.0.1', state: 'failed', reason: expect.stringMatching(/not allowed: .*private.*OUTBOUND_ALLOW/) },
      { host: '1.1.1.1', state: 'failed', reason: expect.stringMatching(/Expected one of the ports 80, .* got 22/) },
      { host: '', state: 'failed', reason: expect.stringMatching(/rtmp:/) },
    ]);
  relays.close();
  expect(reported).toHaveLength(3);
});
