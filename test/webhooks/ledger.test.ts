import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Arrival, findForgery, type Receiver, reset, startReceiver, status } from './receiver.ts';
import { addLibrary, type HookedLibrary, happen, readLog } from './webhook-sender.ts';

const VIDEOS = 12;
const STATUSES = [6, 7, 0, 1, 2, 4, 3] as const;

let database: TestDatabase;
const receivers: Receiver[] = [];
const processes: ChildProcess[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
});
afterEach(async () => {
  for (const child of processes.splice(0)) await kill(child);
  for (const receiver of receivers.splice(0)) await receiver.stop();
});
afterAll(() => database.stop());

async function startProcess(): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./sender-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, String(database.config.host)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  processes.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function hook(script: (arrival: Arrival) => void) {
  const receiver = await startReceiver();
  receivers.push(receiver);
  receiver.script(script);
  return { receiver, library: await addLibrary(database, `${receiver.url}/hook`) };
}

/** Applies the faults in turn, in the same order in each run. */
function inTurn(...answers: ((arrival: Arrival) => void)[]): (arrival: Arrival) => void {
  let turn = 0;
  return (arrival) => {
    answers[turn % answers.length]?.(arrival);
    turn += 1;
  };
}

const slowly = (arrival: Arrival) => void setTimeout(() => status(200)(arrival), 150);
/** The receiver has accepted the event, but its response is lost. */
const halfAnswer = ({ response }: Arrival) => void response.write('HTTP', () => response.socket?.resetAndDestroy());
/** Redirects only deliveries to the old URL, as the same POST. */
const movedTo = (place: string) => (arrival: Arrival) =>
  status(arrival.path === place ? 200 : 308, arrival.path === place ? {} : { location: place })(arrival);

async function untilFinalized(libraries: HookedLibrary[]): Promise<void> {
  for (const { id } of libraries) {
    await vi.waitFor(
      async () => expect((await readLog(database, id)).filter(({ state }) => state === 'pending')).toEqual([]),
      { timeout: 120_000, interval: 200 },
    );
  }
}

/** Checks that the receiver got every event under its own id, correctly signed, and each video's events in order. */
async function checkLedger({ receiver, library }: { receiver: Receiver; library: HookedLibrary }): Promise<void> {
  const log = await readLog(database, library.id);
  expect(log.length).toBe(VIDEOS * STATUSES.length);
  expect(new Set(receiver.arrivals.map(({ id }) => id))).toEqual(new Set<string>(log.map(({ id }) => id)));
  for (const arrival of receiver.arrivals) {
    expect(findForgery(arrival, library.readOnlyKey)).toBeNull();
    expect([arrival.method, arrival.headers['content-type']]).toEqual(['POST', 'application/json']);
  }
  const places = new Map<string, number>(log.map(({ id }, place) => [id, place]));
  const last = new Map<string, number>();
  for (const { id, body } of receiver.arrivals) {
    const entry = log[places.get(id) ?? -1];
    const wanted = { VideoLibraryId: library.id, VideoGuid: entry?.mediaId, Status: entry?.status };
    expect(body).toBe(JSON.stringify(wanted));
    const place = places.get(id) ?? -1;
    expect(place).toBeGreaterThanOrEqual(last.get(JSON.parse(body).VideoGuid) ?? 0);
    last.set(JSON.parse(body).VideoGuid, place);
  }
}

test('delivers each event in order and with one id, despite faulty receivers and killed senders', async () => {
  const flaps = inTurn(status(500), status(200), reset, slowly, status(200), halfAnswer, status(503));
  const flapping = await hook(flaps);
  const dead = await hook(status(204));
  const moving = await hook(movedTo('/new'));
  const hooks = [flapping, dead, moving];
  await dead.receiver.fall();
  const videos: Guid[] = Array.from({ length: VIDEOS }, () => newGuid());
  const doomed = await startProcess();
  await startProcess();
  for (const [step, statusNow] of STATUSES.entries()) {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    if (step === 2) {
      flapping.receiver.script((arrival) => {
        slowly(arrival);
        arrive();
      });
    }
    for (const { library } of hooks) {
      for (const mediaId of videos) await happen(database, { libraryId: library.id, mediaId }, statusNow);
    }
    if (step === 2) {
      // A delivery is in progress.
      await arrived;
      await kill(doomed);
      flapping.receiver.script(flaps);
      await startProcess();
    }
  }
  const second = processes[1];
  if (second === undefined) throw new Error('Expected a second sender.');
  await sleep(200);
  await kill(second);
  expect(dead.receiver.arrivals).toEqual([]);
  await dead.receiver.rise();
  await untilFinalized(hooks.map(({ library }) => library));
  for (const one of hooks) await checkLedger(one);
  for (const { library } of hooks) {
    expect((await readLog(database, library.id)).filter(({ state }) => state !== 'delivered')).toEqual([]);
  }
  const duplicates = flapping.receiver.arrivals.length - new Set(flapping.receiver.arrivals.map(({ id }) => id)).size;
  expect(duplicates).toBeGreaterThan(VIDEOS);
});

test('the next sender delivers an event of a killed sender under the same id', async () => {
  const silent = await hook(() => undefined);
  await startProcess();
  await happen(database, { libraryId: silent.library.id, mediaId: newGuid() }, 0);
  await vi.waitFor(() => expect(silent.receiver.arrivals.length).toBe(1), { timeout: 30_000 });
  await kill(processes[0] as ChildProcess);
  silent.receiver.script(status(200));
  await startProcess();
  await untilFinalized([silent.library]);
  const [first, second] = silent.receiver.arrivals.map(({ id, body }) => ({ id, body }));
  expect(second).toEqual(first);
  expect(await readLog(database, silent.library.id)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
});
