import { openFirstLibrary } from '../compose/first-library.ts';
import { startRole } from '../compose.ts';
import { settingsOf } from '../config/role-environment.ts';
import type { Role } from '../config/roles.ts';
import type { RoleSettings, Settings } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { readVersion } from '../lib/version.ts';
import {
  baseAddresses,
  ensureSecretKey,
  forgetFirstKeys,
  secretKeyPath,
  showFirstStart,
} from '../service/first-start.ts';
import { type Fleet, type PartHealth, sandboxProblem } from '../service/health.ts';
import { openHealthPort } from '../service/health-port.ts';
import { measureProcess } from '../service/measure-process.ts';
import { watchHealth } from '../service/watch-health.ts';
import { findSandbox } from './find-sandbox.ts';
import { connectionTo } from './supervisor/postgres.ts';
import { placesIn } from './supervisor/postgres-places.ts';

/** Runs one role in this process until `stop` aborts, for a service that runs on several machines. */
export async function serveRole(role: Role, settings: Settings, stop: AbortSignal): Promise<number> {
  const { databaseUrl, dataDir } = settings;
  const database = databaseUrl === null ? connectionTo(placesIn(dataDir)) : { connectionString: databaseUrl };
  const secretKey = await ensureSecretKey(dataDir, settings.secretKey);
  const secretKeyFile = settings.secretKey === null ? secretKeyPath(dataDir) : null;
  const roleSettings: RoleSettings = { ...settings, database, secretKey, secretKeyFile };
  const stopped = new Promise<null>((resolve) => {
    if (stop.aborted) resolve(null);
    else stop.addEventListener('abort', () => resolve(null), { once: true });
  });
  // A stop does not wait for the migration lock, because a migration is one transaction and can be interrupted.
  const library = await Promise.race([openFirstLibrary(roleSettings), stopped]);
  if (library === null) return 0;
  const ok: PartHealth = { state: 'ok', detail: null };
  const version = readVersion();
  const fleet: Fleet = {
    version,
    database: ok,
    roles: { [role]: ok },
    listeners: {},
    sandbox: await findSandbox(settings),
  };
  if (settings.healthPort !== null) measureProcess(role);
  const left = Promise.withResolvers<void>();
  const running = await startRole(role, settingsOf(role, roleSettings), { fleet: () => fleet, leave: left.resolve });
  fleet.listeners = running.listeners;
  watchHealth(
    running,
    (health) => (fleet.roles[role] = { state: health.ok ? 'ok' : 'failing', detail: health.detail }),
    stop,
  );
  const healthPort =
    settings.healthPort === null
      ? null
      : await openHealthPort({ ...settings, port: settings.healthPort }, { role, fleet, running });
  if (healthPort !== null) fleet.listeners = { ...fleet.listeners, health: healthPort.port };
  // The edge is a separate process, on this or another machine, and listens on its configured port.
  const addresses = baseAddresses(settings, { edge: settings.edgePort, api: settings.port, ...running.listeners });
  const weakness = sandboxProblem(fleet.sandbox);
  if (weakness !== null) logEvent('sandbox.weak', { sandbox: fleet.sandbox, reason: weakness });
  logEvent('service.ready', { ...addresses, listeners: fleet.listeners, sandbox: fleet.sandbox });
  if (library.mustShow) await showFirstStart(library, addresses, { dataDir, out: process.stdout });
  await forgetFirstKeys(dataDir);
  await Promise.race([stopped, left.promise]);
  logEvent('service.stopping', {});
  await healthPort?.close();
  await running.close();
  logEvent('service.stopped', {});
  return 0;
}
