import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt } from '../account-schema.ts';
import type { PersonStatus, Role } from './person.ts';

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
  /** A PHC string (`password-hash.ts`); null until the invitation is accepted. */
  password_hash: string | null;
  totp_sealed: Buffer | null;
  /** Time step of the last accepted code, which is not accepted again. */
  totp_step: number | null;
  created_at: CreatedAt;
  last_seen_at: Date | null;
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
};

/** A link with which a person chooses a password, once. The link is stored as a hash. */
export type InvitationTable = { hash: Buffer; person_id: Guid; created_at: CreatedAt; expires_at: Date };

export type PeopleSchema = {
  person: PersonTable;
  person_role: PersonRoleTable;
  person_session: PersonSessionTable;
  invitation: InvitationTable;
};
