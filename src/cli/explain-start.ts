import { isDatabaseAway } from '../catalog/is-database-away.ts';
import type { Settings } from '../config/settings.ts';
import { hasCode } from '../lib/has-code.ts';
import { Refused } from '../lib/refused.ts';

/**
 * Returns the error of a role that could not start as one that names the setting, if a port is in use or the database
 * does not respond. Returns all other errors unchanged.
 */
export function explainStart(error: unknown, settings: Settings): unknown {
  if (error instanceof Refused) return error;
  if (hasCode(error, 'EADDRINUSE')) {
    const { port }: { port?: unknown } = Object(error);
    const name = typeof port === 'number' ? nameOfPort(port, settings) : null;
    if (name !== null) return portInUse(name, Number(port), error);
  }
  if (!isDatabaseAway(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const message =
    settings.databaseUrl === null
      ? `Expected the database of the service on ${settings.dataDir}, got: ${reason}. Start that service first, or ` +
        'set MILLRACE_DATABASE_URL.'
      : `MILLRACE_DATABASE_URL: expected a PostgreSQL server that accepts connections, got: ${reason}.`;
  return new Refused('unavailable', message, { cause: error });
}

/** Returns the error for a port of a setting that another program uses. */
export function portInUse(name: string, port: number, cause: unknown): Refused {
  const message = `${name}: expected a free port, but another program uses ${port}. Stop it, or set a different port.`;
  return new Refused('conflict', message, { cause });
}

function nameOfPort(port: number, settings: Settings): string | null {
  const names = {
    MILLRACE_PORT: settings.port,
    MILLRACE_EDGE_PORT: settings.edgePort,
    MILLRACE_HEALTH_PORT: settings.healthPort,
    MILLRACE_RTMP_PORT: settings.rtmpPort,
    MILLRACE_RTMPS_PORT: settings.rtmpsPort,
    MILLRACE_WHIP_PORT: settings.whipPort,
  };
  return Object.entries(names).find(([, value]) => value === port)?.[0] ?? null;
}
