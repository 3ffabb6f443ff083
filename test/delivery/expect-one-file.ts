import { expect } from 'vitest';

/** Expects a signed URL to open its file, no other file of its video, and nothing after `expiresAt`. */
export async function expectOneFile(url: URL, expiresAt: Date): Promise<void> {
  expect((await fetch(url)).status, url.pathname).toBe(200);
  expect(Number(url.searchParams.get('expires'))).toBe(Math.floor(expiresAt.getTime() / 1000));
  expect(url.pathname).not.toContain('bcdn_token');
  const playlist = new URL(url);
  playlist.pathname = url.pathname.replace(/(\/[0-9a-f-]{36}\/).*$/, '$1playlist.m3u8');
  expect((await fetch(playlist)).status).toBe(403);
}
