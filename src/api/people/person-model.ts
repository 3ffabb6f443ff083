import { type Static, Type } from 'typebox';
import type { Caller, Person, Role, Roles } from '../../catalog/people/person.ts';
import type { MayChange } from '../../catalog/people/person-store.ts';
import { Refused } from '../../lib/refused.ts';
import { wireTime } from '../models/answers.ts';
import type { LibraryRoleModel, PersonModel } from '../models/person.ts';
import { guidParam } from '../read-params.ts';

export const PersonParams = Type.Object({ personId: guidParam('person') });

export function toPersonModel({ id, email, name, status, roles, ...person }: Person): PersonModel {
  return {
    Id: id,
    Email: email,
    Name: name,
    Status: status,
    Role: roles.account,
    LibraryRoles: [...roles.libraries].map(([LibraryId, role]) => ({ LibraryId, Role: role })),
    HasTotp: person.hasTotp,
    DateCreated: wireTime(person.createdAt),
    DateLastSeen: person.lastSeenAt && wireTime(person.lastSeenAt),
  };
}

type SentRoles = { Role?: Role | null; LibraryRoles?: Static<typeof LibraryRoleModel>[] };

/** Reads the sent roles. Absent roles are taken from `before`. */
export function readRoles({ Role: role, LibraryRoles: libraries }: SentRoles, before: Roles): Roles {
  return {
    account: role === undefined ? before.account : role,
    libraries:
      libraries === undefined ? before.libraries : new Map(libraries.map((each) => [each.LibraryId, each.Role])),
  };
}

/** Only owners, and keys of the account, may create, change or remove owners of the account or of a library. */
export function mayChangeFor(caller: Caller | null): MayChange {
  return ({ account, libraries }) => {
    const isOwner = account === 'owner' || [...libraries.values()].includes('owner');
    if (!isOwner || caller?.person === undefined || caller.person.roles.account === 'owner') return;
    throw new Refused(
      'forbidden',
      'Only an owner of the account can add, change or remove an owner. Ask one of the owners.',
    );
  };
}

/** Returns the URL at which an invited person chooses a password. Browsers never send the part after the `#`. */
export function invitationLink(secret: string, publicUrl: string | null): string {
  return `${publicUrl ?? ''}/dashboard/join#${secret}`;
}
