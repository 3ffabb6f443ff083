// The process of one role, started by the supervisor and driven by its messages.

import { openFirstLibrary } from '../compose/first-library.ts';
import { loadRole, startRole } from '../compose.ts';
import type { Role } from '../config/roles.ts';
import type { RoleSettings } from '../config/settings.ts';
import { secretsOf } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { registerSecrets } from '../lib/log/redact.ts';
import { collectMetrics } from '../lib/metrics/metrics.ts';
import { Refused } from '../lib/refused.ts';
import type { Fleet, RunningRole } from '../service/health.ts';
import { openLog } from '../service/log.ts';
import { measureProcess } from '../service/measure-process.ts';
import { openWaitingRoom, type WaitingRoom } from '../service/waiting-room.ts';
import { watchHealth } from '../service/watch-health.ts';
import { explainStart } from './explain-start.ts';
import type { FromRole, ToRole } from './role-messages.ts';

/** Time in ms in which a role must close after its supervisor has died. */
const ORPHAN_GRACE_MS = 1000;

let role: Role | null = null;
let fleet: Fleet | null = null;
let waitingRoom: WaitingRoom | null = null;
let running: RunningRole | null = null;
const stopping = new AbortController();

// Messages are handled one at a time, so that `stop` waits until a pending start has finished.
let task = Promise.resolve();
process.on('message', (message: ToRole) => {
  if (message.type === 'fleet') {
    fleet = message.fleet;
    return;
  }
  if (message.type === 'metrics') {
    const collected = running === null ? Promise.resolve(null) : collectMetrics();
    collected.then((families) => report({ type: 'metrics', families })).catch(fail);
    return;
  }
  task = task.then(async () => await handle(message)).catch(fail);
});
process.once('disconnect', () => {
  setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
  task = task.then(stop).catch(fail);
});
// Ctrl-C in a terminal sends SIGINT to every process of the group. Roles ignore it, because the supervisor stops them.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
report({ type: 'online' });

async function handle(message: Exclude<ToRole, { type: 'fleet' | 'metrics' }>): Promise<void> {
  switch (message.type) {
    case 'wait':
      role = message.role;
      openLog(role, message.log);
      if (role === 'api') await receive(message);
      // Not awaited, because it runs while the database starts. A failure is reported again when the role starts.
      loadRole(role).catch(() => undefined);
      break;
    case 'prepare':
      await prepare(message.settings);
      break;
    case 'start':
      await start(message.settings);
      break;
    case 'stop':
      await stop();
      break;
  }
}

async function receive(place: Parameters<typeof openWaitingRoom>[0]): Promise<void> {
  waitingRoom = await openWaitingRoom(place, () => fleet);
  report({ type: 'waiting', port: waitingRoom.port });
}

async function prepare(settings: RoleSettings): Promise<void> {
  registerSecrets(secretsOf(settings));
  const library = await openFirstLibrary(settings).catch((error: unknown) => {
    throw explainStart(error, settings);
  });
  report({ type: 'prepared', library });
}

async function start(settings: RoleSettings): Promise<void> {
  if (role === null) throw new Error('Expected the message `wait` before `start`.');
  await waitingRoom?.close();
  waitingRoom = null;
  if (settings.metricsPort !== null) measureProcess(role);
  registerSecrets(secretsOf(settings));
  running = await startRole(role, settings, {
    fleet: currentFleet,
    leave: () => {
      task = task.then(stop).catch(fail);
    },
  }).catch((error: unknown) => {
    throw explainStart(error, settings);
  });
  report({ type: 'ready', listeners: running.listeners });
  watchHealth(running, ({ ok, detail }) => report({ type: 'health', ok, detail }), stopping.signal);
}

function currentFleet(): Fleet {
  if (fleet === null) throw new Error('Expected the state of the service from the supervisor, got none yet.');
  return fleet;
}

async function stop(): Promise<void> {
  stopping.abort();
  await waitingRoom?.close();
  await running?.close();
  process.exit(0);
}

function fail(error: unknown): void {
  if (role === null) openLog('role');
  logEvent('role.failed', { err: error });
  const message = error instanceof Error ? error.message : String(error);
  report({ type: 'failed', message, isFinal: error instanceof Refused && error.kind === 'invalid' });
  process.exit(1);
}

function report(message: FromRole): void {
  // The channel may close at any time; 'disconnect' then ends this process.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
