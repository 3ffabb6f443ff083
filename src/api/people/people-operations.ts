import type { Operation } from '../define-operation.ts';
import type { OperationDeps } from '../operation-deps.ts';
import { deletePerson, updatePerson } from './change-person.ts';
import { invitePerson, invitePersonAgain } from './invite-person.ts';
import { listPeople } from './list-people.ts';
import { endPersonSessions, listPersonSessions } from './person-sessions.ts';
import {
  createSignInProvider,
  deleteSignInProvider,
  listSignInProviders,
  updateSignInProvider,
} from './sign-in-providers.ts';

/** Operations on people, their sessions and sign-in providers. */
export const peopleOperations: readonly Operation<OperationDeps>[] = [
  listPeople,
  invitePerson,
  updatePerson,
  deletePerson,
  invitePersonAgain,
  listPersonSessions,
  endPersonSessions,
  listSignInProviders,
  createSignInProvider,
  updateSignInProvider,
  deleteSignInProvider,
];
