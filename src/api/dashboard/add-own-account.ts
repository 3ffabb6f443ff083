import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { roleIn } from '../../catalog/people/permissions.ts';
import type { SignedInPerson } from '../../catalog/people/person.ts';
import { newTotpSecret, totpAddress } from '../../catalog/people/totp.ts';
import { ACCOUNT_RATE, createFailureLimit } from '../../lib/failure-limit.ts';
import { readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { guidOfRequestId } from '../audited-write.ts';
import { findPerson } from '../authenticate.ts';
import { toSessionModel } from '../to-session-model.ts';
import { noStore, startPerson } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { formReader } from './read-form.ts';
import { readSession, requireOwnPage } from './session-cookie.ts';

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
  const { credentials, personSessions } = deps;
  const attempts = createFailureLimit(Date.now, ACCOUNT_RATE);
  /** A stolen session alone must not be able to take over the account. */
  const requirePassword = async ({ id }: SignedInPerson, current: string) => {
    if (attempts.isReached(id)) throw new Refused('busy', 'Too many wrong passwords. Try again in 15 minutes.');
    attempts.fail(id);
    if (!(await credentials.isPasswordOf(id, current))) throw new Refused('invalid', 'The current password is wrong.');
    attempts.forgive(id);
  };
  const write = (operation: string, run: Change) => async (request: FastifyRequest, reply: FastifyReply) => {
    requireOwnPage(request.raw, deps);
    const person = await requirePerson(request, deps);
    const answer = await run(person, request, reply);
    await recordChange(request, { operation, person }, deps);
    return answer;
  };
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
      await requirePassword(person, current);
      await credentials.changePassword(person.id, chosen);
      await personSessions.endOf(person.id, { keep: null });
      return startPerson({ request, reply }, person.id, deps);
    }),
  );
  app.get(`${PATH}/totp`, async (request, reply) => {
    const { email } = await requirePerson(request, deps);
    const secret = newTotpSecret();
    return noStore(reply).send({ secret, address: totpAddress(secret, email) });
  });
  app.post(
    `${PATH}/totp`,
    write('setOwnTotp', async (person, { raw }, reply) => {
      const { current, secret, code } = await readTotp(raw);
      await requirePassword(person, current);
      await credentials.setTotp(person.id, { secret, code });
      await personSessions.endOf(person.id, { keep: person.sessionId });
      return noStore(reply).code(204).send();
    }),
  );
  app.post(
    `${PATH}/totp/remove`,
    write('removeOwnTotp', async (person, { raw }, reply) => {
      await requirePassword(person, (await readConfirmation(raw)).current);
      await credentials.removeTotp(person.id);
      return noStore(reply).code(204).send();
    }),
  );
  addOwnSessions(app, write, deps);
}

type Write = (
  operation: string,
  run: Change,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function addOwnSessions(app: FastifyInstance, write: Write, deps: DashboardDeps): void {
  const { personSessions } = deps;
  app.get(`${PATH}/sessions`, async (request, reply) => {
    const { id } = await requirePerson(request, deps);
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

type Change = (person: SignedInPerson, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

async function requirePerson({ raw }: FastifyRequest, deps: DashboardDeps): Promise<SignedInPerson> {
  const person = await findPerson({ key: undefined, session: readSession(raw) }, deps);
  if (person === null) throw new Refused('unauthenticated', 'You are not signed in as a person. Sign in first.');
  return person;
}

async function recordChange(
  request: FastifyRequest,
  { operation, person }: { operation: string; person: SignedInPerson },
  { audit, callerOf }: DashboardDeps,
): Promise<void> {
  await audit.write({
    libraryId: null,
    pullZoneId: null,
    keyName: `${person.id} ${person.email}`,
    scope: roleIn(person.roles, null) ?? 'person',
    operation,
    targets: {},
    status: 200,
    requestId: readGuid(request.id) ?? guidOfRequestId(request.id),
    ip: callerOf(request.raw),
  });
}
