import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt, Json } from '../account-schema.ts';
import type { PersonStatus, Role } from './person.ts';
import type { GroupRole } from './sign-in-provider.ts';

/**
 * A person who signs in to the dashboard. `role` applies to all libraries. If it is null, the person has only the roles
 * in single libraries.
 */
export type PersonTable = {
  id: Guid;
  email: string;
  name: string;
  language: string | null;
  status: PersonStatus;
  role: Role | null;
  /** A PHC string (`password-hash.ts`), or null until the invitation is accepted. */
  password_hash: string | null;
  totp_sealed: Buffer | null;
  /** Time step of the last accepted code, which is not accepted again. */
  totp_step: number | null;
  created_at: CreatedAt;
  last_seen_at: Date | null;
  /**
   * Provider whose sign-in created the person, and whose groups determine the roles. Null if the person was invited.
   */
  created_by_provider: Guid | null;
};

export type PersonRoleTable = { person_id: Guid; library_id: number; role: Role };

/** A browser of a person. The id in its cookie is stored as a hash; `id` names the session in lists. */
export type PersonSessionTable = {
  id: Guid;
  hash: Buffer;
  person_id: Guid;
  device: string;
  address: string;
  created_at: CreatedAt;
  last_used_at: CreatedAt;
  expires_at: Date;
  /** Passkey that opened the session, with which it ends. */
  passkey_id: Guid | null;
  /** Issuer of the provider that opened the session, and its `sid` claim there. Null if there is none. */
  provider_issuer: string | null;
  provider_session: string | null;
};

/** See `Passkey`. `public_key` is a COSE key. `counter` is the authenticator's, or 0 if it does not count. */
export type PasskeyTable = {
  id: Guid;
  person_id: Guid;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  is_backed_up: boolean;
  name: string;
  created_at: CreatedAt;
  last_used_at: Date | null;
};

/** A link with which a person chooses a password, once. The link is stored as a hash. */
export type InvitationTable = { hash: Buffer; person_id: Guid; created_at: CreatedAt; expires_at: Date };

/** See `SignInProvider`. */
export type SignInProviderTable = {
  id: Guid;
  name: string;
  issuer: string;
  client_id: string;
  client_secret_sealed: Buffer | null;
  scopes: string;
  email_domains: Json<string[]>;
  trusts_email: boolean;
  default_role: Role | null;
  group_claim: string | null;
  group_roles: Json<GroupRole[]>;
  created_at: CreatedAt;
  modified_at: CreatedAt;
};

/** Account of a person at a provider. The subject is unique at its issuer and never reused (OpenID Connect Core 2). */
export type PersonIdentityTable = { issuer: string; subject: string; person_id: Guid; created_at: CreatedAt };

/** Hash of the state of a finished sign-in, kept until its cookie expires. */
export type FinishedSignInTable = { hash: Buffer; expires_at: Date };

export type PeopleSchema = {
  person: PersonTable;
  person_role: PersonRoleTable;
  person_session: PersonSessionTable;
  passkey: PasskeyTable;
  invitation: InvitationTable;
  sign_in_provider: SignInProviderTable;
  person_identity: PersonIdentityTable;
  finished_sign_in: FinishedSignInTable;
};
