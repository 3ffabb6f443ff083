import type { Logger } from 'pino';
import { openFirstLibrary, startRole } from '../compose.ts';
import type { Role } from '../config/roles.ts';
import type { RoleSettings, Settings } from '../config/settings.ts';
import {
  baseAddresses,
  describeFirstStart,
  ensureSecretKey,
  forgetFirstKeys,
  mustShowKeys,
  reserveFirstKeys,
} from './first-start.ts';
import type { Fleet, PartHealth } from './health.ts';
import { findSandboxLevel } from './sandbox-level.ts';
import { connectionTo } from './supervisor/postgres.ts';
import { placesIn } from './supervisor/postgres-places.ts';
import { readVersion } from './version.ts';
import { watchHealth } from './watch-health.ts';

/** Runs one role in this process, for a service that is spread over machines, until `stop`. */
export async function serveRole(role: Role, settings: Settings, log: Logger, stop: AbortSignal): Promise<number> {
  const { databaseUrl, dataDir } = settings;
  const database = databaseUrl === null ? connectionTo(placesIn(dataDir)) : { connectionString: databaseUrl };
  const secretKey = await ensureSecretKey(dataDir, settings.secretKey);
  const roleSettings: RoleSettings = { ...settings, database, secretKey };
  const reserved = await reserveFirstKeys(dataDir, settings);
  const library = await openFirstLibrary(roleSettings)(reserved.keys);
  const ok: PartHealth = { state: 'ok', detail: null };
  const version = readVersion();
  const fleet: Fleet = {
    version,
    database: ok,
    roles: { [role]: ok },
    listeners: {},
    sandbox: await findSandboxLevel(),
  };
  const running = await startRole(role, roleSettings, { fleet: () => fleet });
  fleet.listeners = running.listeners;
  watchHealth(
    running,
    (health) => (fleet.roles[role] = { state: health.ok ? 'ok' : 'failing', detail: health.detail }),
    stop,
  );
  log.info({ listeners: running.listeners }, 'ready');
  if (mustShowKeys(library, reserved)) {
    process.stdout.write(describeFirstStart(library, baseAddresses(settings, running.listeners)));
  }
  await forgetFirstKeys(dataDir);
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  log.info('stopping');
  await running.close();
  return 0;
}
