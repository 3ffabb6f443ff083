import type { PersonStore } from '../../catalog/people/person-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { InvitedPersonModel, InvitePersonModel } from '../models/person.ts';
import { NoParams } from '../read-params.ts';
import { invitationLink, mayChangeFor, PersonParams, readRoles, toPersonModel } from './person-model.ts';

type Deps = { people: PersonStore; publicUrl: string | null };

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const NO_ROLES = { account: null, libraries: new Map() };

/** Not part of the hosted API. */
export const invitePerson = defineOperation({
  name: 'invitePerson',
  method: 'POST',
  path: '/people',
  description: 'Invites a person. Only this response contains the link at which the person chooses a password.',
  auth: 'account-key',
  permission: 'people.manage',
  params: NoParams,
  body: InvitePersonModel,
  answer: InvitedPersonModel,
  answerStatus: 201,
  refusals: { invalid: 400, conflict: 409 },
  errorShape: 'core',
  async run({ body, grant }, { people, publicUrl }: Deps) {
    const email = body.Email.trim();
    if (!EMAIL.test(email))
      throw new Refused('invalid', `Expected an e-mail address, got "${email}". Correct it.`, { field: 'Email' });
    const roles = readRoles(body, NO_ROLES);
    const made = await people.invite({ email, name: body.Name ?? '', roles }, mayChangeFor(grant));
    return { ...toPersonModel(made), Link: invitationLink(made.secret, publicUrl) };
  },
});

/** Not part of the hosted API. Also serves people who forgot their password. */
export const invitePersonAgain = defineOperation({
  name: 'invitePersonAgain',
  method: 'POST',
  path: '/people/{personId}/invitation',
  description:
    'Creates a link at which a person chooses a new password, which also removes the second factor and ends all ' +
    'sessions. Replaces the previous link.',
  auth: 'account-key',
  permission: 'people.manage',
  params: PersonParams,
  answer: InvitedPersonModel,
  answerStatus: 201,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { personId }, grant }, { people, publicUrl }: Deps) {
    const made = await people.invitePersonAgain(personId, mayChangeFor(grant));
    return { ...toPersonModel(made), Link: invitationLink(made.secret, publicUrl) };
  },
});
