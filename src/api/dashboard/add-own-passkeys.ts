import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { registrationOptions, verifyRegistration } from '../../lib/webauthn.ts';
import { noStore } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { deviceName } from './device-name.ts';
import type { OwnAccountGuard } from './own-account-guard.ts';
import { finishChallenge, giveChallenge, takeChallenge } from './passkey-challenge.ts';
import { requireRelyingParty } from './passkey-place.ts';
import { formReader } from './read-form.ts';
import { requireOwnPage } from './session-cookie.ts';

const PATH = '/dashboard/account/passkeys';

/** A passkey as sent to the dashboard. */
export type PasskeyModel = {
  id: string;
  name: string;
  isBackedUp: boolean;
  createdAt: string;
  lastUsedAt: string | null;
};

const current = () => Type.String({ maxLength: 500 });
const name = () => Type.String({ maxLength: 100 });
const encoded = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]+$' });
const readConfirmation = formReader(`${PATH}/options`, Type.Object({ current: current() }));
const readName = formReader(
  `${PATH}/{passkeyId}`,
  Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
);
const readRegistration = formReader(
  PATH,
  Type.Object({ name: name(), id: encoded(1_400), clientDataJSON: encoded(2_000), attestationObject: encoded(4_000) }),
);

/** Adds the routes with which people add, name and delete their own passkeys. */
export function addOwnPasskeys(
  app: FastifyInstance,
  { write, confirm, requirePerson }: OwnAccountGuard,
  deps: DashboardDeps,
) {
  const { passkeys } = deps;
  app.get(PATH, async (request, reply) => {
    const { id } = await requirePerson(request);
    const found = await passkeys.list(id);
    const models: PasskeyModel[] = found.map(({ createdAt, lastUsedAt, credentialId: _, ...passkey }) => ({
      ...passkey,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    }));
    return noStore(reply).send(models);
  });
  app.post(`${PATH}/options`, async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const person = await requirePerson(request);
    const party = requireRelyingParty(request.raw, deps);
    await confirm(person, (await readConfirmation(request.raw)).current);
    const credentialIds = (await passkeys.list(person.id)).map(({ credentialId }) => credentialId);
    const options = await registrationOptions(party, { ...person, credentialIds });
    giveChallenge({ request, reply }, { purpose: purposeOf(person), challenge: options.challenge }, deps);
    return noStore(reply).send(options);
  });
  app.post(
    PATH,
    write('addOwnPasskey', async (person, request, reply) => {
      const party = requireRelyingParty(request.raw, deps);
      const { name: chosen, ...sent } = await readRegistration(request.raw);
      const challenge = takeChallenge({ request, reply }, purposeOf(person), deps);
      const verified = await verifyRegistration(party, challenge, sent);
      if (verified === null) throw new Refused('invalid', 'This passkey cannot be verified. Start again.');
      await finishChallenge(challenge, deps);
      const named = chosen.trim() || deviceName(request.raw.headers['user-agent']);
      await passkeys.add(person.id, { ...verified, name: named });
      return noStore(reply).code(204).send();
    }),
  );
  app.post(
    `${PATH}/:passkeyId`,
    write('renameOwnPasskey', async ({ id }, { raw, params }, reply) => {
      await passkeys.rename(id, passkeyIdOf(params), (await readName(raw)).name);
      return noStore(reply).code(204).send();
    }),
  );
  app.post(
    `${PATH}/:passkeyId/remove`,
    write('removeOwnPasskey', async (person, { raw, params }, reply) => {
      await confirm(person, (await readConfirmation(raw)).current);
      await passkeys.remove(person.id, passkeyIdOf(params), person.sessionId);
      return noStore(reply).code(204).send();
    }),
  );
}

/** A challenge is valid only in the session for which it was made. */
function purposeOf({ sessionId }: { sessionId: Guid }): string {
  return `add ${sessionId}`;
}

function passkeyIdOf(params: unknown): Guid {
  const { passkeyId = '' }: { passkeyId?: string } = Object(params);
  const id = readGuid(passkeyId);
  if (id === null) throw new Refused('not-found', 'This passkey does not exist. Reload the page.');
  return id;
}
