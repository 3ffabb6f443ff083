import { expect, test } from 'vitest';
import { createOutbound } from '../lib/outbound/outbound.ts';
import { openLicenceProxy } from './drm.ts';

test('reports an unreadable certificate by the name of its setting', async () => {
  const settings = { licenceServers: {}, fairPlayCertificatePath: '/no/such/certificate' };
  const opened = openLicenceProxy(settings, createOutbound({ allow: [] }));
  await expect(opened).rejects.toThrow(/MILLRACE_FAIRPLAY_CERTIFICATE.*ENOENT.*\/no\/such\/certificate/);
});
