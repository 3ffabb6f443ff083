import { isAbsolute, relative, sep } from 'node:path';
import { isDatabaseAway } from '../catalog/is-database-away.ts';
import type { RoleSettings, Settings } from '../config/settings.ts';
import { hasCode } from '../lib/has-code.ts';
import { Refused } from '../lib/refused.ts';

/**
 * Returns the error of a service or role that could not start as one that names the setting, if a port is in use, the
 * disk is full, or the database of the operator does not respond. Returns all other errors unchanged.
 */
export function explainStart(error: unknown, settings: Settings | RoleSettings): unknown {
  if (error instanceof Refused) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const { port }: { port?: unknown } = Object(error);
  const name = typeof port === 'number' ? nameOfPort(port, settings) : null;
  const fault = name === null ? null : explainPort(name, Number(port), error);
  if (fault !== null) return fault;
  if (hasCode(error, 'ENOSPC') && isOnDataDir(error, settings)) {
    const message = `MILLRACE_DATA_DIR: expected free space in ${settings.dataDir}, got none (${reason}).`;
    return new Refused('unavailable', message, { cause: error });
  }
  if (!isDatabaseAway(error) && !isRefusedByDatabase(error)) return error;
  const message = describeDatabase(reason, settings);
  return message === null ? error : new Refused('unavailable', message, { cause: error });
}

/**
 * Returns the error for a port of a setting that another program uses, or that this user must not open. Returns null
 * for any other cause.
 */
export function explainPort(name: string, port: number, cause: unknown): Refused | null {
  if (hasCode(cause, 'EADDRINUSE')) {
    const found = `another program uses ${port}. Stop it, or set a different port.`;
    const message = `${name}: expected a free port, but ${found}`;
    return new Refused('conflict', message, { cause });
  }
  if (!hasCode(cause, 'EACCES')) return null;
  const message =
    `${name}: expected a port that user ${process.getuid?.()} may open, got ${port}. Ports below 1024 need the ` +
    'capability CAP_NET_BIND_SERVICE. Set a different port.';
  return new Refused('invalid', message, { cause });
}

/** Also true for an error without a path, such as that of a write. */
function isOnDataDir(error: unknown, { dataDir }: Settings | RoleSettings): boolean {
  const { path }: { path?: unknown } = Object(error);
  if (typeof path !== 'string') return true;
  const inside = relative(dataDir, path);
  return !isAbsolute(inside) && inside.split(sep)[0] !== '..';
}

/** SQLSTATE class 28 (wrong user or password) and 3D000 (no such database). */
function isRefusedByDatabase(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(28...|3D000)$/.test(String(error.code));
}

/** Returns null for the built-in database of a running supervisor, which restarts it. */
function describeDatabase(reason: string, settings: Settings | RoleSettings): string | null {
  const { dataDir } = settings;
  const isOwn = 'database' in settings ? !('connectionString' in settings.database) : settings.databaseUrl === null;
  if (!isOwn) return `MILLRACE_DATABASE_URL: expected a PostgreSQL server that accepts connections, got: ${reason}.`;
  if ('database' in settings) return null;
  return (
    `Expected the database of the service on ${dataDir}, got: ${reason}. Start that service first, or set ` +
    'MILLRACE_DATABASE_URL.'
  );
}

function nameOfPort(port: number, settings: Settings | RoleSettings): string | null {
  const names = {
    MILLRACE_PORT: settings.port,
    MILLRACE_EDGE_PORT: settings.edgePort,
    MILLRACE_HEALTH_PORT: settings.healthPort,
    MILLRACE_METRICS_PORT: settings.metricsPort,
    MILLRACE_RTMP_PORT: settings.rtmpPort,
    MILLRACE_RTMPS_PORT: settings.rtmpsPort,
    MILLRACE_SRT_PORT: settings.srtPort,
    MILLRACE_WHIP_PORT: settings.whipPort,
    MILLRACE_WHIP_UDP_PORT: settings.whipUdpPort,
  };
  return Object.entries(names).find(([, value]) => value === port)?.[0] ?? null;
}
