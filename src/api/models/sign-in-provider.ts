import { type Static, Type } from 'typebox';
import { dateTime, flag, int64, model, nullable, text } from './fields.ts';
import { PersonRole } from './person.ts';

/** Role of the members of a group at a provider. */
export const GroupRoleModel = model('GroupRoleModel', {
  Group: text({ minLength: 1, maxLength: 500 }),
  Role: PersonRole,
  LibraryId: Type.Optional(nullable(int64())),
});

/** An OpenID Connect provider (not part of the hosted API). */
export const SignInProviderModel = model('SignInProviderModel', {
  Id: text(),
  Name: text(),
  Issuer: text(),
  ClientId: text(),
  HasClientSecret: flag(),
  Scopes: text(),
  EmailDomains: Type.Array(text()),
  TrustsEmail: flag(),
  DefaultRole: nullable(PersonRole),
  GroupClaim: nullable(text()),
  GroupRoles: Type.Array(GroupRoleModel),
  CallbackUrl: text(),
  LogoutUrl: text(),
  DateCreated: dateTime(),
});
export type SignInProviderModel = Static<typeof SignInProviderModel>;

export const SignInProviderList = Type.Array(SignInProviderModel, { title: 'SignInProviderList' });
export type SignInProviderList = Static<typeof SignInProviderList>;

const required = (maxLength: number) => text({ minLength: 1, maxLength });
const options = {
  ClientSecret: Type.Optional(nullable(required(1_000))),
  Scopes: Type.Optional(required(500)),
  EmailDomains: Type.Optional(Type.Array(required(253), { maxItems: 200 })),
  TrustsEmail: Type.Optional(flag()),
  DefaultRole: Type.Optional(nullable(PersonRole)),
  GroupClaim: Type.Optional(nullable(required(200))),
  GroupRoles: Type.Optional(Type.Array(GroupRoleModel, { maxItems: 1_000 })),
};

export const CreateSignInProviderModel = model('CreateSignInProviderModel', {
  Name: required(100),
  Issuer: required(1_000),
  ClientId: required(500),
  ...options,
});

/** Absent fields stay unchanged. */
export const UpdateSignInProviderModel = model('UpdateSignInProviderModel', {
  Name: Type.Optional(required(100)),
  Issuer: Type.Optional(required(1_000)),
  ClientId: Type.Optional(required(500)),
  ...options,
});
export type UpdateSignInProviderModel = Static<typeof UpdateSignInProviderModel>;

/** All models of this file, by their published names. */
export const signInProviderModels = {
  GroupRoleModel,
  SignInProviderModel,
  SignInProviderList,
  CreateSignInProviderModel,
  UpdateSignInProviderModel,
} as const;
