import { ROLES, type Role, type Roles } from './person.ts';

const ALL: readonly Role[] = ROLES;
const MANAGERS: readonly Role[] = ['owner', 'admin'];

/**
 * Roles that have each permission. `library` permissions are also given by a role in that library, `account`
 * permissions only by a role in the account, and `any` permissions by any role anywhere. Each operation names its
 * permission. These rules are for people. Keys have scopes instead.
 */
export const PERMISSIONS = {
  /** Needs no credentials. */
  public: { level: 'any', roles: ALL },
  'libraries.list': { level: 'any', roles: ALL },
  'videos.read': { level: 'library', roles: ALL },
  /** Also includes changing and deleting one's own comments. */
  'videos.comment': { level: 'library', roles: ALL },
  'videos.upload': { level: 'library', roles: ['owner', 'admin', 'editor', 'uploader'] },
  'videos.edit': { level: 'library', roles: ['owner', 'admin', 'editor'] },
  'live.edit': { level: 'library', roles: ['owner', 'admin', 'editor'] },
  'statistics.read': { level: 'library', roles: ['owner', 'admin', 'editor', 'analyst'] },
  'library.manage': { level: 'library', roles: MANAGERS },
  'library.delete': { level: 'library', roles: ['owner'] },
  'account.manage': { level: 'account', roles: MANAGERS },
  'people.manage': { level: 'account', roles: MANAGERS },
  'sign-in.manage': { level: 'account', roles: ['owner'] },
} as const satisfies Record<string, { level: 'any' | 'library' | 'account'; roles: readonly Role[] }>;

export type Permission = keyof typeof PERMISSIONS;

/**
 * Returns whether roles include a permission. `libraryId` is the library that the request concerns, or null if it
 * concerns none.
 */
export function isPermitted(roles: Roles, permission: Permission, libraryId: number | null): boolean {
  const { level, roles: permitted } = PERMISSIONS[permission];
  if (roles.account !== null && includes(permitted, roles.account)) return true;
  if (level === 'account') return false;
  if (level === 'any') return [...roles.libraries.values()].some((role) => includes(permitted, role));
  const role = libraryId === null ? undefined : roles.libraries.get(libraryId);
  return role !== undefined && includes(permitted, role);
}

/** Returns all permissions of a person in a library, or in the account if `libraryId` is null. */
export function permissionsOf(roles: Roles, libraryId: number | null): Permission[] {
  // The cast is safe, because the keys of PERMISSIONS are exactly the permissions.
  return (Object.keys(PERMISSIONS) as Permission[]).filter((name) => isPermitted(roles, name, libraryId));
}

/**
 * Returns the highest role of a person in a library, or in the account if `libraryId` is null. Returns null if the
 * person has no role there.
 */
export function roleIn({ account, libraries }: Roles, libraryId: number | null): Role | null {
  const role = libraryId === null ? undefined : libraries.get(libraryId);
  return ROLES.find((each) => each === account || each === role) ?? null;
}

function includes(roles: readonly Role[], role: Role): boolean {
  return roles.includes(role);
}
