import type { Role } from './roles.ts';

/**
 * For glibc (mallopt(3), M_MMAP_THRESHOLD): parts of streams, which live for seconds among frames that live for
 * milliseconds, lie outside the heap and go back to the system one by one. With 60 streams it saves 1 MiB a stream.
 */
const INGEST_MEMORY = { MALLOC_MMAP_THRESHOLD_: String(64 * 1024) };

/** The environment of a role's process: that of its supervisor, and what its memory needs. */
export function environmentOf(role: Role): NodeJS.ProcessEnv {
  return role === 'ingest' ? { ...INGEST_MEMORY, ...process.env } : process.env;
}
