/** The parts of the service that run as separate processes; `millrace serve` runs them all. */
export const roles = ['api', 'edge', 'ingest', 'worker'] as const;

export type Role = (typeof roles)[number];

export function parseRole(text: string): Role | null {
  return roles.find((role) => role === text) ?? null;
}
