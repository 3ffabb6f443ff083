import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/catalog/db.ts';
import { loadRotation } from '../../src/catalog/system/secret-rotation-store.ts';
import { connectionTo } from '../../src/cli/supervisor/postgres.ts';
import { placesIn } from '../../src/cli/supervisor/postgres-places.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { eventually } from '../house/service.ts';
import { ACCOUNT_KEY, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LIMIT = { timeout: 300_000 };
/** Former signing keys: enough that sealing them again takes longer than noticing that it began. */
const FORMER_KEYS = 30_000;

let service: Service;
let database: Database;
beforeAll(async () => {
  service = await startService(null);
  database = openDatabase({ ...connectionTo(placesIn(service.dataDir)), max: 2 }, () => undefined);
}, 120_000);
afterAll(async () => {
  await database.close();
  await service.stop();
  await rm(service.dataDir, { recursive: true, force: true });
});

function startCommand(...args: string[]): ChildProcess {
  const env = { PATH: process.env.PATH, MILLRACE_DATA_DIR: service.dataDir };
  return spawn(process.execPath, [path.join(root, 'bin/millrace.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

/** Reads and writes sealed values through the API until stopped. Returns what failed. */
function startTraffic() {
  const failures: string[] = [];
  let requests = 0;
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      const answers = await Promise.all([
        fetch(`${service.apiUrl}/videolibrary/1`, { headers }),
        fetch(`${service.apiUrl}/library/1/videos`, { headers: { AccessKey: LIBRARY_KEY } }),
        fetch(`${service.apiUrl}/videolibrary`, {
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
  return {
    async stop() {
      isStopped = true;
      await running;
      return { failures, requests };
    },
  };
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

test('a rotation continues after a kill while requests run, and the old key is then useless', LIMIT, async () => {
  const before = await readFile(keyFile());
  await addFormerKeys();
  expect(await millrace('secret', 'rotate')).toEqual([
    1,
    expect.stringMatching(/expected a backup of the last 24 hours/),
  ]);

  const traffic = startTraffic();
  const first = startCommand('secret', 'rotate', '--without-backup');
  await eventually(
    async () => ((await loadRotation(database.db))?.stage === 'switched' ? true : null),
    () => 'the stage in which secrets are sealed again',
  );
  const died = once(first, 'exit');
  first.kill('SIGKILL');
  await died;
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

  const after = await readFile(keyFile());
  expect(after.equals(before)).toBe(false);
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(service.dataDir, 'secret-previous.key'))).toEqual(before);
  const { rows } = await sql<{ sealed: Buffer }>`
    select signing_key_sealed as sealed from access_key where signing_key_sealed is not null
    union all select api_key_sealed from library union all select security_key_sealed from pull_zone`.execute(
    database.db,
  );
  const box = createSecretBox(after);
  for (const { sealed } of rows) box.open(sealed);
  expect(rows.length).toBeGreaterThan(FORMER_KEYS);

  await rm(path.join(service.dataDir, 'secret-previous.key'));
  await service.stop();
  service = await startService(service.dataDir);
  const library = await fetch(`${service.apiUrl}/videolibrary/1`, { headers });
  expect([library.status, ((await library.json()) as { ApiKey: string }).ApiKey]).toEqual([200, LIBRARY_KEY]);
});
