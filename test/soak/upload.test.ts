import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { uploadThroughFaults } from '../support/large-upload.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { discard, startService } from '../support/service.ts';

const GIB = 2 ** 30;

/** `npm run soak -- upload` sends 2 GiB. The short version in `npm test` is test/e2e/dashboard-uploads.test.ts. */
test.runIf(process.env.MODE === 'soak')(
  'uploads 2 GiB from a browser despite network faults, reloads and kills',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-soak-'));
    const [service, browser] = await Promise.all([startService(null), openBrowser()]);
    try {
      const file = path.join(folder, 'large.mp4');
      await makePaddedClip(file, 2 * GIB);
      await uploadThroughFaults({ service, browser, bytesPerSec: 64 * 2 ** 20 }, file);
      expect(await service.health()).toMatchObject({ status: 'ok' });
    } finally {
      await browser.close();
      await discard(service);
      await rm(folder, { recursive: true, force: true });
    }
  },
);
