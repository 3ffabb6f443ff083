import { type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Share } from '../../catalog/shares/share.ts';
import { readCookie } from '../../lib/read-cookie.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';

/** Time in seconds for which a viewer who passed a check does not have to pass it again. */
const PASS_SEC = 12 * 3600;
const PASS = /^(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/** Cookies of viewers who passed a check of a share. */
export type SharePass = {
  /** Returns whether a request has a valid cookie for the share. */
  holdsPass(share: Share, message: IncomingMessage, nowMs: number): boolean;
  /** Returns the cookie for a viewer who passed the check. Its path separates the passes of different shares. */
  writePass(share: Share, path: string, place: { isSecure: boolean; nowMs: number }): string;
};

type Proving = {
  cookie: string;
  secrets: DerivedSecret<KeyObject>;
  /** Returns 32 bytes that only a holder of the secret can compute, for a share and the end of a pass. */
  prove(share: Share, endSec: number, secret: KeyObject): Buffer;
};

/** A pass is valid if it was written with any of the secrets. */
export function createSharePass({ cookie, secrets, prove }: Proving): SharePass {
  return {
    holdsPass(share, message, nowMs) {
      const [, end = '', proof = ''] = PASS.exec(readCookie(message, cookie) ?? '') ?? [];
      if (end === '' || Number(end) * 1000 <= nowMs) return false;
      const shown = Buffer.from(proof, 'base64url');
      return secrets().some((secret) => timingSafeEqual(prove(share, Number(end), secret), shown));
    },
    writePass(share, path, { isSecure, nowMs }) {
      const endSec = Math.floor(nowMs / 1000) + PASS_SEC;
      const value = `${endSec}.${prove(share, endSec, secrets()[0]).toString('base64url')}`;
      const secure = isSecure ? '; Secure' : '';
      return `${cookie}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${PASS_SEC}${secure}`;
    },
  };
}
