import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { newTotpSecret, totpAddress } from '../../catalog/people/totp.ts';
import { readGuid } from '../../lib/guid.ts';
import { toSessionModel } from '../to-session-model.ts';
import { addOwnPasskeys } from './add-own-passkeys.ts';
import { noStore, startPerson } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { createOwnAccountGuard, type OwnAccountGuard } from './own-account-guard.ts';
import { formReader } from './read-form.ts';

const PATH = '/dashboard/account';
const password = () => Type.String({ maxLength: 500 });
const readProfile = formReader(
  PATH,
  Type.Object({
    name: Type.String({ maxLength: 200 }),
    language: Type.Union([Type.Null(), Type.String({ maxLength: 20 })]),
  }),
);
const readPasswords = formReader(`${PATH}/password`, Type.Object({ current: password(), password: password() }));
const readTotp = formReader(
  `${PATH}/totp`,
  Type.Object({
    current: password(),
    secret: Type.String({ pattern: '^[A-Z2-7]{32}$' }),
    code: Type.String({ maxLength: 20 }),
  }),
);
const readConfirmation = formReader(`${PATH}/totp/remove`, Type.Object({ current: password() }));

/** Adds the routes with which people change their own name, password, second factor and sessions. */
export function addOwnAccount(app: FastifyInstance, deps: DashboardDeps): void {
  const { credentials } = deps;
  const guard = createOwnAccountGuard(deps);
  const { write, confirm, requirePerson } = guard;
  app.post(
    PATH,
    write('updateOwnAccount', async ({ id }, { raw }, reply) => {
      const { name, language } = await readProfile(raw);
      await credentials.rename(id, { name: name.trim(), language });
      return noStore(reply).code(204).send();
    }),
  );
  app.post(
    `${PATH}/password`,
    write('changeOwnPassword', async (person, request, reply) => {
      const { current, password: chosen } = await readPasswords(request.raw);
      await confirm(person, current);
      await credentials.changePassword(person.id, chosen);
      return startPerson({ request, reply }, { personId: person.id }, deps);
    }),
  );
  app.get(`${PATH}/totp`, async (request, reply) => {
    const { email } = await requirePerson(request);
    const secret = newTotpSecret();
    return noStore(reply).send({ secret, address: totpAddress(secret, email) });
  });
  app.post(
    `${PATH}/totp`,
    write('setOwnTotp', async (person, { raw }, reply) => {
      const { current, secret, code } = await readTotp(raw);
      await confirm(person, current);
      await credentials.setTotp(person.id, { secret, code, keep: person.sessionId });
      return noStore(reply).code(204).send();
    }),
  );
  app.post(
    `${PATH}/totp/remove`,
    write('removeOwnTotp', async (person, { raw }, reply) => {
      await confirm(person, (await readConfirmation(raw)).current);
      await credentials.removeTotp(person.id);
      return noStore(reply).code(204).send();
    }),
  );
  addOwnSessions(app, guard, deps);
  addOwnPasskeys(app, guard, deps);
}

function addOwnSessions(app: FastifyInstance, { write, requirePerson }: OwnAccountGuard, deps: DashboardDeps): void {
  const { personSessions } = deps;
  app.get(`${PATH}/sessions`, async (request, reply) => {
    const { id } = await requirePerson(request);
    return noStore(reply).send((await personSessions.list(id)).map(toSessionModel));
  });
  app.delete(
    `${PATH}/sessions`,
    write('endOwnSessions', async ({ id, sessionId }, _request, reply) => {
      await personSessions.endOf(id, { keep: sessionId });
      return noStore(reply).code(204).send();
    }),
  );
  app.delete(
    `${PATH}/sessions/:sessionId`,
    write('endOwnSession', async ({ id }, { params }, reply) => {
      const { sessionId = '' }: { sessionId?: string } = Object(params);
      const only = readGuid(sessionId);
      if (only !== null) await personSessions.endOf(id, { only });
      return noStore(reply).code(204).send();
    }),
  );
}
