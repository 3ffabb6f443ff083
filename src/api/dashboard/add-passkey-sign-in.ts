import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { StoredCredential } from '../../catalog/people/passkey-store.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { authenticationOptions, type RelyingParty, type SentAssertion, verifyAssertion } from '../../lib/webauthn.ts';
import { ACCOUNT_RATE, createWindowLimit } from '../../lib/window-limit.ts';
import { noStore, startPerson } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { finishChallenge, giveChallenge, takeChallenge } from './passkey-challenge.ts';
import { requireRelyingParty } from './passkey-place.ts';
import { formReader } from './read-form.ts';
import { requireOwnPage } from './session-cookie.ts';

const PATH = '/dashboard/passkey';
/** Sign-ins that one address may start in a minute. People behind one address share it. */
const START_RATE = { max: 120, windowMs: 60_000 };
const REFUSED = 'This passkey cannot sign in here. Use another one, or sign in with your password.';
const TOO_MANY = 'Too many failed sign-ins. Try again in 15 minutes, or sign in with a key.';
const PURPOSE = 'sign-in';

const field = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]+$' });
const readAssertion = formReader(
  PATH,
  Type.Object({
    id: field(1_400),
    clientDataJSON: field(2_000),
    authenticatorData: field(2_000),
    signature: field(4_000),
    userHandle: field(100),
  }),
);

/** Adds sign-in with passkeys (WebAuthn). A passkey replaces the password and the second factor. */
export function addPasskeySignIn(app: FastifyInstance, deps: DashboardDeps): void {
  const started = createWindowLimit(Date.now, START_RATE);
  const byAddress = createWindowLimit();
  const byAccount = createWindowLimit(Date.now, ACCOUNT_RATE);
  const refuseIf = (isReached: boolean, address: string) => {
    if (!isReached) return;
    logEvent('sign-in.refused', { address, reason: TOO_MANY });
    throw new Refused('busy', TOO_MANY);
  };
  app.post(`${PATH}/options`, async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const address = deps.callerOf(request.raw);
    refuseIf(started.isReached(address) || byAddress.isReached(address), address);
    started.count(address);
    const options = await authenticationOptions(requireRelyingParty(request.raw, deps));
    giveChallenge({ request, reply }, { purpose: PURPOSE, challenge: options.challenge }, deps);
    return noStore(reply).send(options);
  });
  app.post(PATH, async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const party = requireRelyingParty(request.raw, deps);
    const sent = await readAssertion(request.raw);
    const address = deps.callerOf(request.raw);
    const credential = await deps.passkeys.find(sent.id);
    // Unknown credentials have no account. The limit per address applies to them.
    const account = credential?.personId ?? '';
    refuseIf(byAddress.isReached(address) || byAccount.isReached(account), address);
    const challenge = takeChallenge({ request, reply }, PURPOSE, deps);
    byAddress.count(address);
    if (credential !== null) byAccount.count(account);
    if (credential === null || !(await isAccepted(sent, { party, challenge, credential }, deps))) {
      logEvent('sign-in.refused', { address, reason: REFUSED });
      throw new Refused('unauthenticated', REFUSED);
    }
    byAddress.forgive(address);
    byAccount.forgive(account);
    const origin = { kind: 'passkey', passkeyId: credential.id } as const;
    return startPerson({ request, reply }, { personId: credential.personId, origin }, deps);
  });
}

type Expected = { party: RelyingParty; challenge: string; credential: StoredCredential };

/** Verifies the signature, uses up its challenge, and records the use of the passkey. */
async function isAccepted(
  sent: SentAssertion,
  { party, challenge, credential }: Expected,
  deps: DashboardDeps,
): Promise<boolean> {
  const used = await verifyAssertion(party, sent, { challenge, personId: credential.personId, credential });
  if (used === null) return false;
  await finishChallenge(challenge, deps);
  return deps.passkeys.use(credential.id, used);
}
