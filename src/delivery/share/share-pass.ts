import { type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Share } from '../../catalog/shares/share.ts';
import { readCookie } from '../../lib/read-cookie.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';

/** Time in seconds for which a viewer who passed a check does not have to pass it again. */
const PASS_SEC = 12 * 3600;
/** The end, the proof, and the e-mail address of the viewer if the pass names one. */
const PASS = /^(\d{1,12})\.([A-Za-z0-9_-]{43})(?:\.([A-Za-z0-9_-]{1,400}))?$/;

/** Cookies of viewers who passed a check of a share. */
export type SharePass = {
  /** Returns whether a request has a valid cookie for the share. */
  holdsPass(share: Share, message: IncomingMessage, nowMs: number): boolean;
  /** Returns the e-mail address that a valid cookie names, or null without one, and if it names none. */
  holderOf(share: Share, message: IncomingMessage, nowMs: number): string | null;
  /**
   * Returns the cookie for a viewer who passed the check. Its path separates the passes of different shares. `holder`
   * is the confirmed e-mail address, which the cookie then names.
   */
  writePass(share: Share, path: string, place: { isSecure: boolean; nowMs: number; holder?: string }): string;
};

type Proving = {
  cookie: string;
  secrets: DerivedSecret<KeyObject>;
  /**
   * Returns 32 bytes that only a holder of the secret can compute, for a share, and the end and the holder of a pass.
   * `holder` is empty for a pass that names nobody.
   */
  prove(share: Share, pass: { endSec: number; holder: string }, secret: KeyObject): Buffer;
};

/** A pass is valid if it was written with any of the secrets. */
export function createSharePass({ cookie, secrets, prove }: Proving): SharePass {
  const readPass = (share: Share, message: IncomingMessage, nowMs: number) => {
    const [, end = '', proof = '', name = ''] = PASS.exec(readCookie(message, cookie) ?? '') ?? [];
    if (end === '' || Number(end) * 1000 <= nowMs) return null;
    const pass = { endSec: Number(end), holder: Buffer.from(name, 'base64url').toString() };
    const shown = Buffer.from(proof, 'base64url');
    return secrets().some((secret) => timingSafeEqual(prove(share, pass, secret), shown)) ? pass : null;
  };
  return {
    holdsPass: (share, message, nowMs) => readPass(share, message, nowMs) !== null,
    holderOf(share, message, nowMs) {
      const { holder = '' } = readPass(share, message, nowMs) ?? {};
      return holder === '' ? null : holder;
    },
    writePass(share, path, { isSecure, nowMs, holder = '' }) {
      const endSec = Math.floor(nowMs / 1000) + PASS_SEC;
      const name = holder === '' ? '' : `.${Buffer.from(holder).toString('base64url')}`;
      const value = `${endSec}.${prove(share, { endSec, holder }, secrets()[0]).toString('base64url')}${name}`;
      const secure = isSecure ? '; Secure' : '';
      return `${cookie}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${PASS_SEC}${secure}`;
    },
  };
}
