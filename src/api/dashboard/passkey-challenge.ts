import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refused } from '../../lib/refused.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { createSealedCookie } from './sealed-cookie.ts';

/** Seconds within which a browser must use a challenge. */
const CHALLENGE_SEC = 5 * 60;

const cookie = createSealedCookie({
  name: 'millrace-passkey',
  sameSite: 'Strict',
  maxAgeSec: CHALLENGE_SEC,
  schema: Type.Object({
    /** `sign-in`, or `add` with the session that adds a passkey. */
    purpose: Type.String(),
    challenge: Type.String(),
    expiresMs: Type.Number(),
  }),
});

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type Deps = Pick<DashboardDeps, 'publicUrl' | 'trusted' | 'secretBox' | 'identities'>;

/** Gives a challenge to the browser of a request. The sealed cookie binds it to this browser and purpose. */
export function giveChallenge(
  { request, reply }: Exchange,
  { purpose, challenge }: { purpose: string; challenge: string },
  deps: Deps,
): void {
  const at = { message: request.raw, place: deps, secretBox: deps.secretBox };
  reply.header('set-cookie', cookie.write(at, { purpose, challenge, expiresMs: Date.now() + CHALLENGE_SEC * 1000 }));
}

/** Returns the challenge of this browser, and deletes its cookie. Throws `Refused` (`invalid`) if there is none. */
export function takeChallenge({ request, reply }: Exchange, purpose: string, deps: Deps): string {
  const at = { message: request.raw, place: deps, secretBox: deps.secretBox };
  const found = cookie.read(at);
  if (found === null || found.purpose !== purpose) throw expired();
  reply.header('set-cookie', cookie.write(at, null));
  return found.challenge;
}

/** Marks a verified challenge as used. Throws `Refused` (`invalid`) if it already was. */
export async function finishChallenge(challenge: string, { identities }: Deps): Promise<void> {
  if (!(await identities.finish(`passkey ${challenge}`, CHALLENGE_SEC))) throw expired();
}

function expired(): Refused {
  return new Refused('invalid', 'This attempt has expired or was used before. Start again.');
}
