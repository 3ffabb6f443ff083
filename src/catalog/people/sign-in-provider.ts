import type { Guid } from '../../lib/guid.ts';
import { ROLES, type Role, type Roles } from './person.ts';

/** Role of the members of a group, in the account or in one library. */
export type GroupRole = { group: string; role: Role; libraryId: number | null };

/** An OpenID Connect provider with which people sign in. */
export type SignInProvider = {
  id: Guid;
  /** Name on the button of the sign-in screen. */
  name: string;
  /** URL of the provider, under which its `.well-known/openid-configuration` is found. */
  issuer: string;
  clientId: string;
  /** Null for a public client, which uses only PKCE. */
  clientSecret: string | null;
  /** Scopes, separated by spaces. */
  scopes: string;
  /** Domains of accepted e-mail addresses, in lower case. If empty, all are accepted. */
  emailDomains: readonly string[];
  /** True if an address without `email_verified` counts as verified. */
  trustsEmail: boolean;
  /**
   * Role in the account of people who are created at their first sign-in. If null, they get only the roles of their
   * groups.
   */
  defaultRole: Role | null;
  /** Claim that contains the names of groups. If null, groups are ignored. */
  groupClaim: string | null;
  groupRoles: readonly GroupRole[];
  createdAt: Date;
  modifiedAt: Date;
};

/** Verified claims of an ID token and of the provider's UserInfo response. */
export type Identity = {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  name: string;
  groups: readonly string[];
};

/**
 * Returns the roles of a person with these groups: the highest role in each library, and in the account the highest
 * role or else the default role.
 */
export function rolesOfGroups(provider: SignInProvider, groups: readonly string[]): Roles {
  const own = provider.groupClaim === null ? [] : provider.groupRoles.filter(({ group }) => groups.includes(group));
  const account = highest(own.filter(({ libraryId }) => libraryId === null)) ?? provider.defaultRole;
  const libraries = new Map<number, Role>();
  for (const { libraryId } of own) {
    const role = highest(own.filter((each) => each.libraryId === libraryId));
    if (libraryId !== null && role !== null) libraries.set(libraryId, role);
  }
  return { account, libraries };
}

function highest(given: readonly GroupRole[]): Role | null {
  return ROLES.find((role) => given.some((each) => each.role === role)) ?? null;
}

/** Returns whether a provider accepts people with this address. */
export function isDomainAllowed({ emailDomains }: SignInProvider, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return emailDomains.length === 0 || emailDomains.includes(domain);
}
