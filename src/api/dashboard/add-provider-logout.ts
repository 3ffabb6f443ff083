import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SignInProvider } from '../../catalog/people/sign-in-provider.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { type OpenIdConnect, OpenIdFault } from '../../lib/openid-connect.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { Refused } from '../../lib/refused.ts';
import { LOGOUT_TOKEN_SEC, type LogoutClaims } from '../../lib/verify-logout-token.ts';
import { createWindowLimit } from '../../lib/window-limit.ts';
import { noStore } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { loadProvider, toClient } from './load-provider.ts';
import { recordChange } from './record-change.ts';

const MAX_BODY_BYTES = 16_384;
/** Time for which the id of a used token is kept, in seconds: its validity with both clock tolerances. */
const KEPT_SEC = LOGOUT_TOKEN_SEC + 10 * 60;

/** Providers send the logouts of all their customers from a few IP addresses, many at the same time. */
const LOGOUT_RATE = { max: 1_000, windowMs: 60_000 };

type Deps = DashboardDeps & { openId: OpenIdConnect };

/** Adds the URL at which providers end sessions (OpenID Connect Back-Channel Logout 1.0). */
export function addProviderLogout(app: FastifyInstance, deps: Deps): void {
  const failed = createWindowLimit(Date.now, LOGOUT_RATE);
  app.post('/dashboard/sign-in/:providerId/logout', async (request, reply) => {
    const address = deps.callerOf(request.raw);
    if (failed.isReached(address)) {
      throw new Refused('busy', 'Too many wrong logout tokens from this address. Try again in a minute.');
    }
    // Counted before the slow verification, so that simultaneous requests do not exceed the limit.
    failed.count(address);
    const provider = await loadProvider(request, deps);
    const claims = await readClaims(request, provider, deps);
    const ended = await deps.personSessions.endOfProvider({ ...claims, forSec: KEPT_SEC });
    if (ended === null) throw new Refused('invalid', 'This logout token was used before.');
    failed.forgive(address);
    logEvent('sign-in.ended', { address, providerId: provider.id });
    for (const { id, email } of ended) {
      const change = { who: `${id} ${email}`, scope: 'person', operation: 'endSessionsByProvider' };
      await recordChange(request, { ...change, targets: { providerId: provider.id } }, deps);
    }
    return noStore(reply).send();
  });
}

async function readClaims(request: FastifyRequest, provider: SignInProvider, deps: Deps): Promise<LogoutClaims> {
  const body = await readBytes(request.raw, { what: 'a logout token', limitBytes: MAX_BODY_BYTES });
  const token = new URLSearchParams(body.toString('utf8')).get('logout_token') ?? '';
  return await deps.openId.verifyLogout(toClient(provider), token).catch((err: unknown) => {
    if (!(err instanceof OpenIdFault)) throw err;
    const address = deps.callerOf(request.raw);
    logEvent('sign-in.logout-refused', { address, providerId: provider.id, reason: err.kind, err });
    throw new Refused('invalid', 'This logout token is not valid.', { cause: err });
  });
}
