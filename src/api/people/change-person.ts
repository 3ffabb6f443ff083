import type { PersonStore } from '../../catalog/people/person-store.ts';
import { defineOperation } from '../define-operation.ts';
import { PersonModel, UpdatePersonModel } from '../models/person.ts';
import { mayChangeFor, PersonParams, readRoles, toPersonModel } from './person-model.ts';

type Deps = { people: PersonStore };

/** Not part of the hosted API. */
export const updatePerson = defineOperation({
  name: 'updatePerson',
  method: 'POST',
  path: '/people/{personId}',
  description: 'Changes the name, status or roles of a person. Disabling a person ends all sessions.',
  auth: 'account-key',
  permission: 'people.manage',
  params: PersonParams,
  body: UpdatePersonModel,
  answer: PersonModel,
  refusals: { invalid: 400, 'not-found': 404, conflict: 409 },
  errorShape: 'core',
  async run({ params: { personId }, body, grant }, { people }: Deps) {
    const { Name: name, Status: status } = body;
    const change = {
      ...(name !== undefined && { name }),
      ...(status !== undefined && { status }),
      ...((body.Role !== undefined || body.LibraryRoles !== undefined) && {
        roles: (before: Parameters<typeof readRoles>[1]) => readRoles(body, before),
      }),
    };
    return toPersonModel(await people.update(personId, change, mayChangeFor(grant)));
  },
});

/** Not part of the hosted API. */
export const deletePerson = defineOperation({
  name: 'deletePerson',
  method: 'DELETE',
  path: '/people/{personId}',
  description: 'Deletes a person and ends all of their sessions.',
  auth: 'account-key',
  permission: 'people.manage',
  params: PersonParams,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404, conflict: 409 },
  errorShape: 'core',
  async run({ params: { personId }, grant }, { people }: Deps) {
    await people.remove(personId, mayChangeFor(grant));
    return null;
  },
});
