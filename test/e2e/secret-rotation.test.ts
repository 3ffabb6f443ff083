import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../src/catalog/db.ts';
import { loadRotation } from '../../src/catalog/system/secret-rotation-store.ts';
import { connectionTo } from '../../src/cli/supervisor/postgres.ts';
import { placesIn } from '../../src/cli/supervisor/postgres-places.ts';
import { createSecretBox, WrongSecretKey } from '../../src/lib/secret-box.ts';
import { eventually } from '../house/service.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LIMIT = { timeout: 300_000 };
/** Former signing keys, more than the rotation seals again in one step. */
const FORMER_KEYS = 3_000;
/** Maximum time of a command or a request, in ms. Only a hang exceeds it. */
const HANG_MS = 120_000;

let service: Service;
let database: Database;
beforeAll(async () => {
  service = await startService(null);
  database = openDatabase({ ...connectionTo(placesIn(service.dataDir)), max: 2 }, () => undefined);
}, 120_000);
afterAll(async () => {
  await database?.close();
  if (service !== undefined) await discard(service);
});

function startCommand(...args: string[]): ChildProcess {
  const env = { PATH: process.env.PATH, MILLRACE_DATA_DIR: service.dataDir };
  return endWithTest(
    spawn(process.execPath, [path.join(root, 'bin/millrace.js'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: HANG_MS,
    }),
  );
}

async function millrace(...args: string[]): Promise<[number | null, string]> {
  const child = startCommand(...args);
  const ended = once(child, 'exit');
  if (child.stdout === null || child.stderr === null) throw new Error('Expected pipes.');
  const printed = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  return [(await ended)[0], printed.join('')];
}

const keyFile = () => path.join(service.dataDir, 'secret.key');
const headers = { AccessKey: ACCOUNT_KEY };

/** Reads and writes sealed values through the API until stopped, or until the test ends. Returns what failed. */
function startTraffic() {
  const failures: string[] = [];
  let requests = 0;
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      const signal = AbortSignal.timeout(HANG_MS);
      const answers = await Promise.all([
        fetch(`${service.apiUrl}/videolibrary/1`, { headers, signal }),
        fetch(`${service.apiUrl}/library/1/videos`, { headers: { AccessKey: LIBRARY_KEY }, signal }),
        fetch(`${service.apiUrl}/videolibrary`, {
          signal,
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({ Name: `made during a rotation ${requests}` }),
        }),
      ]);
      for (const answer of answers) {
        requests += 1;
        if (!answer.ok) failures.push(`${answer.url}: ${answer.status} ${await answer.text()}`);
        else await answer.arrayBuffer();
      }
      await sleep(50);
    }
  };
  const running = run();
  const stop = async () => {
    stopping.abort();
    await running;
    return { failures, requests };
  };
  onTestFinished(() =>
    stop().then(
      () => undefined,
      () => undefined,
    ),
  );
  return { stop };
}

async function addFormerKeys(): Promise<void> {
  const box = createSecretBox(await readFile(keyFile()));
  for (let done = 0; done < FORMER_KEYS; done += 1_000) {
    const sealed = Array.from({ length: 1_000 }, (_, index) => box.seal(`key ${done + index}`));
    await sql`
      insert into access_key (id, library_id, hash, scope, label, signing_key_sealed, revoked_at)
      select gen_random_uuid(), 1, sha256(v.sealed), 'read', 'former', v.sealed, now()
      from unnest(${sealed}::bytea[]) as v(sealed)`.execute(database.db);
  }
}

/** Keeps the rotation from finishing until the returned function is called, by locking a value that it seals again. */
async function holdSealing(): Promise<() => Promise<void>> {
  const holder = await database.pool.connect();
  let isHeld = true;
  const resume = async () => {
    if (!isHeld) return;
    isHeld = false;
    await holder.query('rollback');
    holder.release();
  };
  onTestFinished(resume);
  await holder.query('begin');
  await holder.query("select from access_key where label = 'former' order by ctid desc limit 1 for update");
  return resume;
}

/** Returns the key of library 1 as the API decrypts it, or null while the API does not respond. */
async function readLibraryKey(): Promise<string | null> {
  const library = await fetch(`${service.apiUrl}/videolibrary/1`, { headers }).catch(() => null);
  return library?.status === 200 ? ((await library.json()) as { ApiKey: string }).ApiKey : null;
}

/** Checks that the new key opens every stored value, and the old key none. */
async function expectOnlyNewKey(before: Buffer): Promise<void> {
  const after = await readFile(keyFile());
  expect(after.equals(before)).toBe(false);
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(service.dataDir, 'secret-previous.key'))).toEqual(before);
  const { rows } = await sql<{ sealed: Buffer }>`
    select signing_key_sealed as sealed from access_key where signing_key_sealed is not null
    union all select api_key_sealed from library union all select security_key_sealed from pull_zone`.execute(
    database.db,
  );
  const [box, formerBox] = [createSecretBox(after), createSecretBox(before)];
  for (const { sealed } of rows) {
    box.open(sealed);
    expect(() => formerBox.open(sealed)).toThrow(WrongSecretKey);
  }
  expect(rows.length).toBeGreaterThan(FORMER_KEYS);
}

test('a rotation continues after a kill while requests run, and the old key is then useless', LIMIT, async () => {
  const before = await readFile(keyFile());
  await addFormerKeys();
  expect(await millrace('secret', 'rotate')).toEqual([
    1,
    expect.stringMatching(/expected a backup of the last 24 hours/),
  ]);

  const traffic = startTraffic();
  const resume = await holdSealing();
  const first = startCommand('secret', 'rotate', '--without-backup');
  await eventually(
    async () => ((await loadRotation(database.db))?.stage === 'switched' ? true : null),
    () => 'the stage in which secrets are sealed again',
  );
  const died = once(first, 'exit');
  first.kill('SIGKILL');
  await died;
  await resume();
  expect((await loadRotation(database.db))?.stage).toBe('switched');
  const [, doctor] = await millrace('doctor');
  expect(doctor).toMatch(/A rotation to key [0-9a-f]{12} is not finished \(switched\)/);
  const health = await eventually(
    async () => {
      const body = (await (await fetch(`${service.apiUrl}/healthz`)).json()) as { problems?: string[] };
      return body.problems?.some((problem) => problem.startsWith('secrets: ')) ? body : null;
    },
    () => 'a health page that reports the rotation',
  );
  expect(health).toMatchObject({ status: 'ok' });
  // A role that starts again during the rotation has the old key in its settings.
  killAll(await findProcesses(service, 'role.ts worker'));

  const [code, text] = await millrace('secret', 'rotate');
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/The rotation is finished\. Only key [0-9a-f]{12} is accepted/),
  ]);
  const { failures, requests } = await traffic.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(10);

  await expectOnlyNewKey(before);
  // Without a restart of the service, a role that starts again gets the new key.
  const apis = await findProcesses(service, 'role.ts api');
  expect(apis).toHaveLength(1);
  killAll(apis);
  await expect.poll(async () => await findProcesses(service, 'role.ts api')).not.toEqual(apis);
  await expect.poll(readLibraryKey, { timeout: HANG_MS, interval: 250 }).toBe(LIBRARY_KEY);

  await rm(path.join(service.dataDir, 'secret-previous.key'));
  await service.stop();
  service = await startService(service.dataDir);
  expect(await readLibraryKey()).toBe(LIBRARY_KEY);
});
