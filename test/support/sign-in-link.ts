import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { WAIT_MS } from './dashboard.ts';
import type { Service } from './service.ts';

/** Returns the sign-in link of the first start, which the service writes just after it is ready. */
export async function readSignInLink({ dataDir }: Pick<Service, 'dataDir'>): Promise<string> {
  const read = () => {
    try {
      return readFileSync(path.join(dataDir, 'first-start.txt'), 'utf8');
    } catch {
      return '';
    }
  };
  const link = () => /\S+\/dashboard\/welcome#\w+/.exec(read())?.[0] ?? '';
  await expect.poll(link, { timeout: WAIT_MS }).not.toBe('');
  return link();
}
