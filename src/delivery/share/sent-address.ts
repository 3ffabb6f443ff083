import type { IncomingMessage } from 'node:http';
import { readEmailAddress } from '../../catalog/shares/email-domain.ts';
import { CODE_MINUTES } from '../../catalog/shares/share-code-store.ts';
import { readCookie } from '../../lib/read-cookie.ts';

const COOKIE = 'millrace-share-address';

/** Returns the address for which this viewer has requested a code, or null. */
export function readSentAddress(message: IncomingMessage): string | null {
  return readEmailAddress(Buffer.from(readCookie(message, COOKIE) ?? '', 'base64url').toString());
}

/** Returns the cookie that keeps an address for the page with the form for its code. It proves nothing. */
export function writeSentAddress(address: string, path: string, { isSecure }: { isSecure: boolean }): string {
  const value = Buffer.from(address).toString('base64url');
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${CODE_MINUTES * 60}${secure}`;
}
