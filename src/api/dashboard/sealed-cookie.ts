import type { IncomingMessage } from 'node:http';
import type { Static, TNumber, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { readCookie } from '../../lib/read-cookie.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { isSecure, type OwnPlace } from './session-cookie.ts';

/** A request, the addresses of the service, and the box that seals the value. */
type SealedPlace = { message: IncomingMessage; place: OwnPlace; secretBox: SecretBox };

/** A cookie whose value only the service can read and write. `write` with null deletes it. */
export type SealedCookie<T> = {
  write(at: SealedPlace, value: T | null): string;
  /** Returns the value, or null if the browser sent none that is valid and has not expired. */
  read(at: SealedPlace): T | null;
};

type Rules<T extends TObject> = { name: string; sameSite: 'Lax' | 'Strict'; maxAgeSec: number; schema: T };

/** Creates a cookie for the values of a schema. The value itself contains the time at which it expires. */
export function createSealedCookie<T extends TObject<{ expiresMs: TNumber }>>({
  name,
  sameSite,
  maxAgeSec,
  schema,
}: Rules<T>): SealedCookie<Static<T>> {
  const validator = Compile(schema);
  // Browsers send a `__Host-` cookie only to this host. Other hosts of the domain could set the plain name.
  const nameFor = ({ message, place }: SealedPlace) => (isSecure(message, place) ? `__Host-${name}` : name);
  return {
    write(at, value) {
      const sealed = value === null ? '' : at.secretBox.seal(JSON.stringify(value)).toString('base64url');
      const age = value === null ? 0 : maxAgeSec;
      const start = `${nameFor(at)}=${sealed}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${age}`;
      return isSecure(at.message, at.place) ? `${start}; Secure` : start;
    },
    read(at) {
      const sealed = readCookie(at.message, nameFor(at));
      if (sealed === null || !/^[\w-]{1,8000}$/.test(sealed)) return null;
      const value = openSealed(sealed, at.secretBox);
      return validator.Check(value) && value.expiresMs > Date.now() ? value : null;
    },
  };
}

function openSealed(value: string, secretBox: SecretBox): unknown {
  try {
    return JSON.parse(secretBox.open(Buffer.from(value, 'base64url')));
  } catch {
    // The value was not sealed by this service.
    return null;
  }
}
