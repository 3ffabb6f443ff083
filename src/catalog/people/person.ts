import type { Guid } from '../../lib/guid.ts';
import type { Grant } from '../keys/access-key.ts';

/** Roles, highest first. permissions.ts lists their rights. */
export const ROLES = ['owner', 'admin', 'editor', 'uploader', 'analyst', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** `invited`: has not chosen a password yet. `disabled`: cannot sign in. */
export type PersonStatus = 'invited' | 'active' | 'disabled';

/** Roles of a person: `account` applies to the account and all libraries, `libraries` to one library each. */
export type Roles = { account: Role | null; libraries: ReadonlyMap<number, Role> };

export type Person = {
  id: Guid;
  email: string;
  name: string;
  /** Language code of the dashboard. Null means the browser's language. */
  language: string | null;
  status: PersonStatus;
  roles: Roles;
  hasTotp: boolean;
  createdAt: Date;
  /** Updated with a delay of at most one minute. */
  lastSeenAt: Date | null;
};

/** Rights of a request. A person's grant has the scope of a key with similar rights; `person` has the exact ones. */
export type Caller = Grant & { person?: SignedInPerson };

/** Identity and rights of a signed-in person. */
export type SignedInPerson = Pick<Person, 'id' | 'email' | 'name' | 'language' | 'roles' | 'hasTotp'> & {
  sessionId: Guid;
  /** Time of the sign-in that started the session. */
  signedInAt: Date;
  /** False for people who sign in only with a provider. */
  hasPassword: boolean;
};
