import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { descendantsOf } from '../house/service.ts';
import { discard } from '../support/service.ts';
import { findProcesses } from '../support/service-processes.ts';
import { type SmallDisk, startOnSmallDisk, whyNoMount } from '../support/small-disk.ts';
import { createVideo, uploadFile } from '../support/videos.ts';
import { ended, type LiveCatalogue, openLiveCatalogue, publish, readText, startLive, until } from './live-service.ts';
import { makeNumberedClips, type NumberedClips, publishClip } from './numbered-publisher.ts';
import { countSegments, mediaPlaylistOf, missingOf, readMedia, readRuns } from './read-recording.ts';

const refusal = await whyNoMount();
const note = refusal === null ? '' : ` (NOT APPLICABLE: ${refusal})`;
const FULL_MS = 6_000;
/** Steps of niceness that encodes of uploads give way by. */
const GIVES_WAY = 10;

let disk: SmallDisk;
let clips: NumberedClips;
let folder: string;
let catalogue: LiveCatalogue;
beforeAll(async () => {
  if (refusal !== null) return;
  [disk, clips] = await Promise.all([startOnSmallDisk(), makeNumberedClips()]);
  catalogue = await openLiveCatalogue(disk.service);
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-full-disk-'));
});
afterAll(async () => {
  if (refusal !== null) return;
  await catalogue.database.close();
  await discard(disk.service);
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(refusal !== null)(
  `a disk that is full holds up no viewer, and with room again nothing is missing${note}`,
  async () => {
    const { key, ingest, base } = await startLive({ service: disk.service, catalogue });
    const publisher = publishClip(ingest, clips.small);
    await until(async () => ((await countSegments(base)) >= 1 ? true : null), 'a segment');
    const address = await mediaPlaylistOf(base);
    await disk.leaveFree(0);
    const before = await countSegments(base);
    await sleep(FULL_MS);
    const isGrown = async () => ((await countSegments(base)) >= before + FULL_MS / 2_000 - 1 ? true : null);
    await until(isGrown, 'segments while the disk is full', 10_000);
    await disk.makeRoomy();
    const live = (await readText(address)) ?? '';
    await catalogue.streams.change(key, stopStream);
    await ended(publisher);
    const recording = await until(
      async () => {
        const text = await readMedia(base);
        return text?.includes('#EXT-X-ENDLIST') ? text : null;
      },
      'the video',
      60_000,
    );
    expect(missingOf(address, live, recording)).toEqual([]);
    expect((await readRuns(address)).map(({ from }) => from)).toEqual([0]);
  },
  180_000,
);

test.skipIf(refusal !== null)(
  `encoders of uploads give way to those of live streams${note}`,
  async () => {
    const { key, ingest, base } = await startLive({ service: disk.service, catalogue });
    const publisher = await publish(ingest);
    await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
    const file = path.join(folder, 'upload.mkv');
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=1280x720:r=30:d=20', '-c:v', 'mpeg4', '-q:v', '5'];
    await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...picture, file]);
    const live = await encodersOf('ingest');
    expect((await uploadFile(disk.service, await createVideo(disk.service, 'upload'), file)).status).toBe(200);
    const least = Math.min(...live) + GIVES_WAY;
    const isPolite = async () => ((await encodersOf('worker')).some((niceness) => niceness >= least) ? true : null);
    await until(isPolite, `an encoder of the upload with a niceness of ${least}`, 60_000);
    await catalogue.streams.change(key, stopStream);
    await ended(publisher);
  },
  180_000,
);

/** Niceness of the encoders that a role runs now. */
async function encodersOf(role: string): Promise<number[]> {
  const processes = await findProcesses(disk.service, `role.ts ${role}`);
  const below = processes.flatMap(({ pid }) => descendantsOf(pid)).filter(({ command }) => /^\S*ffmpeg /.test(command));
  return below.flatMap(({ pid }) => nicenessOf(pid));
}

/** The 19th field of proc(5)'s stat; empty for one that has ended. */
function nicenessOf(pid: number): number[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return [Number(fields[16])];
  } catch {
    return [];
  }
}
