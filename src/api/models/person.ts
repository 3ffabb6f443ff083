import { type Static, Type } from 'typebox';
import { ROLES } from '../../catalog/people/person.ts';
import { dateTime, flag, int32, int64, line, model, nullable, text, words } from './fields.ts';

export const PersonRole = words('PersonRole', ROLES);
const PersonStatus = words('PersonStatus', ['invited', 'active', 'disabled']);

/** Role of a person in one library. */
export const LibraryRoleModel = model('LibraryRoleModel', { LibraryId: int64(), Role: PersonRole });

/** A person who signs in to the dashboard (not part of the hosted API). */
export const PersonModel = model('PersonModel', {
  Id: text(),
  Email: text(),
  Name: text(),
  Status: PersonStatus,
  Role: nullable(PersonRole),
  LibraryRoles: Type.Array(LibraryRoleModel),
  HasTotp: flag(),
  DateCreated: dateTime(),
  DateLastSeen: nullable(dateTime()),
});
export type PersonModel = Static<typeof PersonModel>;

export const PaginationListModelOfPersonModel = model('PaginationListModelOfPersonModel', {
  Items: Type.Array(PersonModel),
  CurrentPage: int32(),
  TotalItems: int32(),
  HasMoreItems: flag(),
});

/** A person with the link of a new invitation, which is shown only this once. */
export const InvitedPersonModel = model('InvitedPersonModel', { ...PersonModel.properties, Link: text() });

const name = () => line({ maxLength: 200 });
const libraryRoles = () => Type.Optional(Type.Array(LibraryRoleModel, { maxItems: 1_000 }));

export const InvitePersonModel = model('InvitePersonModel', {
  Email: text({ minLength: 3, maxLength: 254 }),
  Name: Type.Optional(name()),
  Role: Type.Optional(nullable(PersonRole)),
  LibraryRoles: libraryRoles(),
});

/** Absent fields stay unchanged. `Role` null leaves only the roles in libraries. */
export const UpdatePersonModel = model('UpdatePersonModel', {
  Name: Type.Optional(name()),
  Status: Type.Optional(Type.Enum(['active', 'disabled'])),
  Role: Type.Optional(nullable(PersonRole)),
  LibraryRoles: libraryRoles(),
});

/** A browser in which a person is signed in. */
export const PersonSessionModel = model('PersonSessionModel', {
  Id: text(),
  Device: text(),
  Address: text(),
  DateCreated: dateTime(),
  DateLastUsed: dateTime(),
  DateExpires: dateTime(),
});
export const PersonSessionList = Type.Array(PersonSessionModel, { title: 'PersonSessionList' });

/** All models of this file, by their published names. */
export const personModels = {
  PersonRole,
  PersonStatus,
  LibraryRoleModel,
  PersonModel,
  PaginationListModelOfPersonModel,
  InvitedPersonModel,
  InvitePersonModel,
  UpdatePersonModel,
  PersonSessionModel,
  PersonSessionList,
} as const;
