import type { PersonSessionStore } from '../../catalog/people/person-session-store.ts';
import type { PersonStore } from '../../catalog/people/person-store.ts';
import { defineOperation } from '../define-operation.ts';
import { PersonSessionList } from '../models/person.ts';
import { toSessionModel } from '../to-session-model.ts';
import { mayChangeFor, PersonParams } from './person-model.ts';

type Deps = { people: PersonStore; personSessions: PersonSessionStore };

/** Not part of the hosted API. */
export const listPersonSessions = defineOperation({
  name: 'listPersonSessions',
  method: 'GET',
  path: '/people/{personId}/sessions',
  description: 'Lists the browsers in which a person is signed in, with the time of the last use.',
  auth: 'account-key',
  permission: 'people.manage',
  params: PersonParams,
  answer: PersonSessionList,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { personId } }, { people, personSessions }: Deps) {
    await people.load(personId);
    return (await personSessions.list(personId)).map(toSessionModel);
  },
});

/** Not part of the hosted API. */
export const endPersonSessions = defineOperation({
  name: 'endPersonSessions',
  method: 'DELETE',
  path: '/people/{personId}/sessions',
  description: 'Signs a person out of all browsers.',
  auth: 'account-key',
  permission: 'people.manage',
  params: PersonParams,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { personId }, grant }, { people, personSessions }: Deps) {
    mayChangeFor(grant)((await people.load(personId)).roles);
    await personSessions.endOf(personId, { keep: null });
    return null;
  },
});
