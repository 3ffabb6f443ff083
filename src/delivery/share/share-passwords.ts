import { createHmac, type KeyObject } from 'node:crypto';
import { countCharacters, hasPassword, MAX_PASSWORD_CHARACTERS } from '../../catalog/people/password-hash.ts';
import type { Share } from '../../catalog/shares/share.ts';
import { Refused } from '../../lib/refused.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { createShareLimit } from './share-limit.ts';
import { createSharePass, type SharePass } from './share-pass.ts';

const WINDOW_MS = 15 * 60_000;
/** Maximum number of wrong passwords from one IP address, which may be shared by a whole school. */
const ADDRESS_RATE = { max: 20, windowMs: WINDOW_MS };
/** Maximum number of wrong passwords for one share from all addresses. */
const SHARE_RATE = { max: 200, windowMs: WINDOW_MS };

/** Access to shares with a password. */
export type SharePasswords = SharePass & {
  /** Checks a password. `address` identifies the client for the limit of wrong passwords. */
  check(share: Share, password: string, address: string): Promise<'right' | 'wrong' | 'limited'>;
};

/** `secrets` are the same at each edge. Wrong passwords are counted in memory, for one process. */
export function createSharePasswords(secrets: DerivedSecret<KeyObject>): SharePasswords {
  const wrong = createShareLimit({ client: ADDRESS_RATE, share: SHARE_RATE });
  // Contains the hash, so that a new password ends all passes.
  const prove = (
    { id, passwordHash }: Share,
    { endSec, holder }: { endSec: number; holder: string },
    secret: KeyObject,
  ) =>
    createHmac('sha256', secret)
      .update(`share|${id}|${endSec}|${passwordHash}${holder === '' ? '' : `|${holder}`}`)
      .digest();
  return {
    ...createSharePass({ cookie: 'millrace-share', secrets, prove }),
    async check(share, password, address) {
      // Counted before the result is known, so that simultaneous guesses do not exceed the limit.
      if (!wrong.take(share.id, address)) return 'limited';
      try {
        const isRight =
          countCharacters(password) <= MAX_PASSWORD_CHARACTERS && (await hasPassword(password, share.passwordHash));
        if (!isRight) return 'wrong';
      } catch (error) {
        wrong.forgive(share.id, address);
        if (error instanceof Refused && error.kind === 'busy') return 'limited';
        throw error;
      }
      wrong.forgive(share.id, address);
      return 'right';
    },
  };
}
