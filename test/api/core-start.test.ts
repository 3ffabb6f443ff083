import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ACCOUNT_KEY, discard, newDataDir, startService } from '../support/service.ts';

/** These tests start complete services one after another, possibly on a busy machine. */
const LIMIT = { timeout: 240_000 };

test('an account key that is configured later is valid in addition to the first key', LIMIT, async () => {
  const later = await startService(null, { MILLRACE_ACCOUNT_KEY: 'account-key-of-the-second-start' });
  try {
    const ask = async (key: string) =>
      (await fetch(`${later.apiUrl}/videolibrary`, { headers: { AccessKey: key } })).status;
    expect(await ask('account-key-of-the-second-start')).toBe(200);
    expect(await ask(ACCOUNT_KEY)).toBe(200);
    expect(await ask('account-key-of-nobody')).toBe(401);
  } finally {
    await discard(later);
  }
});

test('the first start generates 256-bit keys for the account API and the library API', LIMIT, async () => {
  const service = await startService(await newDataDir(), { MILLRACE_ACCOUNT_KEY: '', MILLRACE_LIBRARY_KEY: '' });
  try {
    // The keys go to a terminal or to this file. The service may be ready a moment before it writes the file.
    const file = path.join(service.dataDir, 'first-start.txt');
    const shown = async () => new Set((await readFile(file, 'utf8').catch(() => '')).match(/(?<!#)\b[0-9a-f]{64}\b/g));
    await expect.poll(async () => (await shown()).size).toBe(3);
    const keys = [...(await shown())];
    const answers = await Promise.all(
      keys.map(async (key) => {
        const headers = { AccessKey: key };
        const library = await fetch(`${service.apiUrl}/library/1/videos`, { headers });
        const account = await fetch(`${service.apiUrl}/videolibrary`, { headers });
        return [library.status, account.status].join();
      }),
    );
    expect(answers.toSorted()).toEqual(['200,200', '200,401', '200,401']);
  } finally {
    await discard(service);
  }
});
