import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectChanges, type NotedChange } from '../../catalog/note-change.ts';
import { roleIn } from '../../catalog/people/permissions.ts';
import type { SignedInPerson } from '../../catalog/people/person.ts';
import { Refused } from '../../lib/refused.ts';
import { ACCOUNT_RATE, createWindowLimit } from '../../lib/window-limit.ts';
import { findPerson } from '../authenticate.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { recordChange } from './record-change.ts';
import { readSession, requireOwnPage } from './session-cookie.ts';

/** Time after a sign-in within which people without a password can change their credentials, in ms. */
const FRESH_MS = 10 * 60_000;

type Change = (person: SignedInPerson, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Protects the routes with which people change their own account. */
export type OwnAccountGuard = {
  /** Creates a handler that runs a change for the signed-in person, and records it in the audit log. */
  write(operation: string, run: Change): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  /**
   * Throws `Refused` unless `current` is the password of the person. Without a password, the person must have signed in
   * recently. A stolen session alone must not be able to take over the account.
   */
  confirm(person: SignedInPerson, current: string): Promise<void>;
  /** Throws `Refused` (`unauthenticated`) if no person is signed in. */
  requirePerson(request: FastifyRequest): Promise<SignedInPerson>;
};

export function createOwnAccountGuard(deps: DashboardDeps): OwnAccountGuard {
  const attempts = createWindowLimit(Date.now, ACCOUNT_RATE);
  const requirePerson = async ({ raw }: FastifyRequest) => {
    const person = await findPerson({ key: undefined, session: readSession(raw) }, deps);
    if (person === null) throw new Refused('unauthenticated', 'You are not signed in as a person. Sign in first.');
    return person;
  };
  return {
    requirePerson,
    write: (operation, run) => async (request, reply) => {
      requireOwnPage(request.raw, deps);
      const person = await requirePerson(request);
      const noted: NotedChange[] = [];
      const answer = await collectChanges(noted, () => run(person, request, reply));
      const scope = roleIn(person.roles, null) ?? 'person';
      await recordChange(request, { who: `${person.id} ${person.email}`, scope, operation, noted }, deps);
      return answer;
    },
    async confirm({ id, hasPassword, signedInAt }, current) {
      if (!hasPassword) {
        if (Date.now() - signedInAt.getTime() <= FRESH_MS) return;
        throw new Refused('forbidden', 'You signed in more than 10 minutes ago. Sign out, sign in, and try again.');
      }
      if (attempts.isReached(id)) throw new Refused('busy', 'Too many wrong passwords. Try again in 15 minutes.');
      attempts.count(id);
      if (!(await deps.credentials.isPasswordOf(id, current))) {
        throw new Refused('invalid', 'The current password is wrong.');
      }
      attempts.forgive(id);
    },
  };
}
