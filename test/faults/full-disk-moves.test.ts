import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ask, type Import, makeFiles, untilImport } from '../imports/import-fixture.ts';
import { SOURCE_ACCOUNT_KEY, startScriptedStream } from '../imports/scripted-stream.ts';
import { ACCOUNT_KEY, discard } from '../support/service.ts';
import { type SmallDisk, startOnSmallDisk, whyNoMount } from '../support/small-disk.ts';

const run = promisify(execFile);
const VIDEOS = 4;
const refusal = await whyNoMount();
const note = refusal === null ? '' : ` (NOT APPLICABLE: ${refusal})`;
const isOver = ({ state }: Import) => ['finished', 'cancelled', 'failed'].includes(state);

let disk: SmallDisk;
beforeAll(async () => {
  if (refusal === null) disk = await startOnSmallDisk({ MILLRACE_OUTBOUND_ALLOW: '127.0.0.1/32' });
}, 300_000);
afterAll(async () => {
  if (refusal === null) await discard(disk.service);
});

test.skipIf(refusal !== null)(
  `an import waits while the disk is full, and then completes${note}`,
  async () => {
    const files = await makeFiles();
    const source = await startScriptedStream({ libraries: 1, videos: VIDEOS, pageItems: 10, ...files });
    onTestFinished(() => source.stop());
    await disk.leaveFree(0);
    const body = { source: 'bunny', apiUrl: source.url, coreUrl: source.url, cdnUrl: `${source.url}/cdn` };
    const access = { accountKey: SOURCE_ACCOUNT_KEY, sourceLibraryId: 1, settings: false };
    const { guid } = await ask<Import>(disk.service, 'POST', '/library/1/imports', { ...body, ...access });
    const at = `/library/1/imports/${guid}`;
    const full = await untilImport(
      () => disk.service,
      at,
      (now) => isOver(now) || now.reason !== null,
    );
    expect(full).toMatchObject({ reason: expect.stringMatching(/space/), counts: { imported: 2, failed: 0 } });
    await disk.makeRoomy();
    const report = await untilImport(() => disk.service, at, isOver);
    expect(report).toMatchObject({ state: 'finished', counts: { imported: VIDEOS + 2, failed: 0 } });
  },
  300_000,
);

test.skipIf(refusal !== null)(
  `an export to a full disk ends with the reason, and continues later${note}`,
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-full-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const access = ['--url', disk.service.apiUrl, '--key', ACCOUNT_KEY, '--library', '1'];
    const program = path.join(import.meta.dirname, '../../bin/millrace.js');
    const command = [process.execPath, program, 'export', folder, ...access];
    const mount = 'mount -t tmpfs -o size=12k none "$0" && "$@"';
    const ended = await run('unshare', ['-m', 'sh', '-c', mount, folder, ...command]).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    );
    expect(ended.code).toBeGreaterThan(0);
    expect(ended.stderr).toMatch(/ENOSPC|no space/i);
    const { stdout } = await run(String(command[0]), command.slice(1));
    expect(stdout).toContain(`${VIDEOS} exported, 0 unchanged, 0 failed`);
  },
  300_000,
);
