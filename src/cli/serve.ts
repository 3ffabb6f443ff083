import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseRole, type Role, roles } from '../config/roles.ts';
import {
  findOwnUnknownSettings,
  readOwnSettings,
  type Settings,
  secretsOf,
  type UnknownSetting,
} from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { registerSecrets } from '../lib/log/redact.ts';
import { quote } from '../lib/quote.ts';
import { Refused } from '../lib/refused.ts';
import { INGEST_TLS, readTlsPair } from '../lib/tls/read-tls-pair.ts';
import { openLog } from '../service/log.ts';
import { explainStart } from './explain-start.ts';
import { requireDatabase } from './require-database.ts';
import { requireDistinctPorts, requireFreePorts } from './require-free-ports.ts';
import { requireStoreFolder } from './require-store-folder.ts';
import { DataLock, makeDataDir, requireDatabaseSpace } from './supervisor/data-lock.ts';
import { requirePackagedPostgres } from './supervisor/postgres-binaries.ts';
import { Supervisor } from './supervisor/supervisor.ts';

/** `millrace serve [--role name]`: runs the whole service, or one role of it, until a signal ends it. */
export async function serve(args: readonly string[]): Promise<number> {
  const role = readRole(args);
  const settings = readOwnSettings();
  openLog(role ?? 'supervisor', settings);
  registerSecrets(secretsOf(settings));
  const isFirst = role === null && !existsSync(join(settings.dataDir, 'lock'));
  const unknown = findOwnUnknownSettings();
  if (isFirst) requireNoTypos(unknown);
  for (const { name, sentence } of unknown) logEvent('setting.unknown', { name, reason: sentence });
  if (settings.tls !== null && role !== 'worker') readTlsPair(settings.tls);
  const { ingestCertificate } = settings;
  if (ingestCertificate !== null && (role ?? 'ingest') === 'ingest') readTlsPair(ingestCertificate, INGEST_TLS);
  await requireOwnAddress(settings.host);
  if (role === null && settings.databaseUrl === null) requirePackagedPostgres();
  if (role === null) requireDistinctPorts(settings);
  if (isFirst) {
    requireStoreFolder(settings);
    await requireFreePorts(settings);
  }
  const stop = stopSignal();
  await requireDatabase(settings, stop);
  if (stop.aborted) return 0;
  const looseMode = makeDataDir(settings.dataDir, { onVolume: settings.requiresVolume });
  if (looseMode !== null) logEvent('data-folder.closed', { mode: looseMode });
  if (role === null && settings.databaseUrl === null) requireDatabaseSpace(settings.dataDir);
  try {
    if (role === null) return await serveAll(settings, stop);
    // Imported only here, because the process of the supervisor does not need the code of the roles.
    const { serveRole } = await import('./serve-role.ts');
    return await serveRole(role, settings, stop);
  } catch (error) {
    throw explainStart(error, settings);
  }
}

async function serveAll(settings: Settings, stop: AbortSignal): Promise<number> {
  const lock = await DataLock.take(settings.dataDir);
  const supervisor = new Supervisor(settings);
  try {
    const stopped = new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
    await Promise.race([supervisor.start(), stopped]);
    await stopped;
    logEvent('service.stopping', {});
    return 0;
  } finally {
    lock.markStopping();
    await supervisor.stop();
    lock.release();
    logEvent('service.stopped', {});
  }
}

/**
 * Throws `Refused` with one line per misspelt setting. Must be called only at the first start: later, a newer version
 * may have been in use, whose settings must not prevent a start of this one.
 */
function requireNoTypos(unknown: readonly UnknownSetting[]): void {
  const refusals = unknown.flatMap(({ refusal }) => refusal ?? []);
  if (refusals.length > 0) throw new Refused('invalid', refusals.join('\n'));
}

/** Throws `Refused` if the address does not belong to this machine. Called before anything is started. */
async function requireOwnAddress(host: string): Promise<void> {
  const server = createServer().listen(0, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const message =
      `MILLRACE_HOST: expected an address of this machine, or 0.0.0.0 for all of them, got ${quote(host)} ` +
      `(${Object(cause).code}).`;
    throw new Refused('invalid', message, { cause });
  }
  server.close();
}

function readRole(args: readonly string[]): Role | null {
  const { role: text } = parseArgs({ args: [...args], options: { role: { type: 'string' } } }).values;
  if (text === undefined) return null;
  const role = parseRole(text);
  if (role === null) throw new Refused('invalid', `--role: expected one of ${roles.join(', ')}, got ${text}.`);
  return role;
}

/** Returns a signal that aborts on SIGTERM and SIGINT, and when the launcher that started this process dies. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.once('disconnect', stop);
  return controller.signal;
}
