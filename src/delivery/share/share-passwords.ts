import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { countCharacters, hasPassword, MAX_PASSWORD_CHARACTERS } from '../../catalog/people/password-hash.ts';
import type { Share } from '../../catalog/shares/share.ts';
import { createFailureLimit } from '../../lib/failure-limit.ts';
import { readCookie } from '../../lib/read-cookie.ts';
import { Refused } from '../../lib/refused.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';

/** Time in seconds for which a viewer who entered the password does not have to enter it again. */
const PASS_SEC = 12 * 3600;
/** The path of the cookie separates the passes of different shares. */
const COOKIE = 'millrace-share';
const PASS = /^(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

const WINDOW_MS = 15 * 60_000;
/** Maximum number of wrong passwords from one IP address, which may be shared by a whole school. */
const ADDRESS_RATE = { maxFailures: 20, windowMs: WINDOW_MS };
/** Maximum number of wrong passwords for one share from all addresses. */
const SHARE_RATE = { maxFailures: 200, windowMs: WINDOW_MS };

/** Access to shares with a password. */
export type SharePasswords = {
  /** Returns whether a request has the cookie of a viewer who entered the current password. */
  holdsPass(share: Share, message: IncomingMessage, nowMs: number): boolean;
  /** Checks a password. `address` identifies the client for the limit of wrong passwords. */
  check(share: Share, password: string, address: string): Promise<'right' | 'wrong' | 'limited'>;
  /** Returns the cookie for a viewer who entered the right password. */
  writePass(share: Share, path: string, place: { isSecure: boolean; nowMs: number }): string;
};

/** `secrets` are the same at each edge. Wrong passwords are counted in memory, for one process. */
export function createSharePasswords(secrets: DerivedSecret<KeyObject>): SharePasswords {
  const byAddress = createFailureLimit(Date.now, ADDRESS_RATE);
  const byShare = createFailureLimit(Date.now, SHARE_RATE);
  // Contains the hash, so that a new password ends all passes.
  const prove = ({ id, passwordHash }: Share, endSec: number, secret = secrets()[0]) =>
    createHmac('sha256', secret).update(`share|${id}|${endSec}|${passwordHash}`).digest();
  return {
    holdsPass(share, message, nowMs) {
      const [, end = '', proof = ''] = PASS.exec(readCookie(message, COOKIE) ?? '') ?? [];
      if (end === '' || Number(end) * 1000 <= nowMs) return false;
      const shown = Buffer.from(proof, 'base64url');
      return secrets().some((secret) => timingSafeEqual(prove(share, Number(end), secret), shown));
    },
    async check(share, password, address) {
      const ofAddress = `${share.id}|${address}`;
      if (byAddress.isReached(ofAddress) || byShare.isReached(share.id)) return 'limited';
      // Counted before the result is known, so that simultaneous guesses do not exceed the limit.
      byAddress.fail(ofAddress);
      byShare.fail(share.id);
      const forgive = () => {
        byAddress.forgive(ofAddress);
        byShare.forgive(share.id);
      };
      try {
        const isRight =
          countCharacters(password) <= MAX_PASSWORD_CHARACTERS && (await hasPassword(password, share.passwordHash));
        if (!isRight) return 'wrong';
      } catch (error) {
        forgive();
        if (error instanceof Refused && error.kind === 'busy') return 'limited';
        throw error;
      }
      forgive();
      return 'right';
    },
    writePass(share, path, { isSecure, nowMs }) {
      const endSec = Math.floor(nowMs / 1000) + PASS_SEC;
      const value = `${endSec}.${prove(share, endSec).toString('base64url')}`;
      const secure = isSecure ? '; Secure' : '';
      return `${COOKIE}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${PASS_SEC}${secure}`;
    },
  };
}
