/** The parts of the service that run as processes of their own. */
export const roles = ['api', 'edge', 'ingest', 'worker'] as const;

export type Role = (typeof roles)[number];

/** The roles that `millrace serve` runs. `ingest` joins them with its first protocol. */
export const supervisedRoles: readonly Role[] = ['api', 'edge', 'worker'];

export function parseRole(text: string): Role | null {
  return roles.find((role) => role === text) ?? null;
}
