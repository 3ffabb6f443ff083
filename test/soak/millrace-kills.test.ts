import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../src/lib/listen.ts';
import { ask, type Import, makeFiles, startImporter, untilImport } from '../imports/import-fixture.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { killTree } from '../support/service-processes.ts';

const VIDEOS = 8;

let source: Service;
let target: Service;
let door: Server;
let address: string;
let clip: Buffer;
const guids: string[] = [];
beforeAll(async () => {
  ({ clip } = await makeFiles());
  source = await startImporter(null);
  target = await startImporter(null);
  // The source keeps its URL after a restart, which gives it another port.
  door = createServer((socket) => {
    const inner = connect(Number(new URL(source.apiUrl).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  address = `http://127.0.0.1:${await listen(door, 0, '127.0.0.1')}`;
  for (let index = 0; index < VIDEOS; index += 1) {
    const { guid } = await ask<{ guid: string }>(source, 'POST', '/library/1/videos', { title: `Video ${index}` });
    const sent = await fetch(`${source.apiUrl}/library/1/videos/${guid}`, {
      method: 'PUT',
      headers: { AccessKey: ACCOUNT_KEY },
      body: new Uint8Array(clip),
    });
    expect(sent.status).toBe(200);
    guids.push(guid);
  }
}, 300_000);
afterAll(async () => {
  door.close();
  for (const service of [source, target]) await discard(service);
});

const isOver = ({ state }: Import) => ['finished', 'cancelled', 'failed'].includes(state);
const imported = (count: number) => (report: Import) => isOver(report) || (report.counts.imported ?? 0) >= count;

test('an import from another Millrace completes although both sides are killed in the middle', async () => {
  const body = { source: 'millrace', apiUrl: address, accountKey: ACCOUNT_KEY, sourceLibraryId: 1 };
  const limits = { concurrency: 2, bandwidth: 10_000 };
  const { guid } = await ask<Import>(target, 'POST', '/library/1/imports', { ...body, ...limits });
  const at = `/library/1/imports/${guid}`;
  await untilImport(() => target, at, imported(1));
  await killTree(source);
  source = await startImporter(source.dataDir);
  await untilImport(() => target, at, imported(3));
  await Promise.all([killTree(target), killTree(source)]);
  [target, source] = [await startImporter(target.dataDir), await startImporter(source.dataDir)];
  let report = await untilImport(() => target, at, isOver);
  // A source that was away for longer than the retries last leaves items that can be resumed.
  expect(report.items.filter(({ state, retryable }) => state === 'failed' && !retryable)).toEqual([]);
  if ((report.counts.failed ?? 0) > 0) {
    await ask(target, 'POST', `${at}/resume`);
    report = await untilImport(() => target, at, isOver);
  }
  expect(report).toMatchObject({ state: 'finished', counts: { imported: VIDEOS, skipped: 0, failed: 0 } });
  for (const video of guids) {
    const answer = await fetch(`${target.apiUrl}/library/1/videos/${video}/original`, {
      headers: { AccessKey: ACCOUNT_KEY },
    });
    expect([video, Buffer.from(await answer.arrayBuffer()).equals(clip)]).toEqual([video, true]);
  }
}, 600_000);
