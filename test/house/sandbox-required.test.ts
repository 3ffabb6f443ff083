import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeClip } from '../support/media/run-clip.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FAILED, getVideo, uploadFile } from '../support/videos.ts';

const LAUNCHER = path.resolve(import.meta.dirname, '../../bin/millrace.js');

let folder: string;
let environment: Record<string, string>;
let service: Service;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-broken-bwrap-'));
  const tools = await readdir('/usr/bin');
  for (const tool of tools) if (tool !== 'bwrap') await symlink(path.join('/usr/bin', tool), path.join(folder, tool));
  // As in a container without user namespaces: bubblewrap is installed but does not work.
  await writeFile(path.join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  environment = { PATH: folder, MILLRACE_SANDBOX: 'required' };
  service = await startService(null, environment);
});
afterAll(async () => {
  await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const PROBLEM = /Expected a sandbox for encoders, but none works: nothing is encoded/;

test('a service that requires a sandbox and has none reports this in health, log and doctor', async () => {
  const health = await service.health();
  expect(health).toMatchObject({ sandbox: 'unavailable', problems: [expect.stringMatching(PROBLEM)] });
  expect(service.output()).toMatch(PROBLEM);
  const doctor = await new Promise<string>((resolve) => {
    const options = { env: { ...process.env, ...environment, MILLRACE_DATA_DIR: service.dataDir } };
    execFile(process.execPath, [LAUNCHER, 'doctor'], options, (_, stdout) => resolve(stdout));
  });
  expect(doctor).toMatch(/PROBLEM.*sandbox.*unavailable/);
});

test('without the required sandbox, does not encode, and the video reports the reason', async () => {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=2', '-c:v', 'mpeg4'];
  const clip = await makeClip(folder, 'clip.mp4', source);
  const guid = await createVideo(service, 'A film');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  await expect.poll(async () => (await getVideo(service, guid)).status, { timeout: 120_000 }).toBe(FAILED);
  const video = await getVideo(service, guid);
  expect(JSON.stringify(video)).toContain('MILLRACE_SANDBOX');
  expect(video).toMatchObject({ encodeProgress: 0, availableResolutions: '' });
});
