import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ACCOUNT_KEY, type Service, startService } from '../support/service.ts';

const run = promisify(execFile);

export type Item = {
  kind: string;
  sourceId: string;
  guid: string;
  title: string;
  state: string;
  reason: string | null;
  retryable: boolean;
  notes: string[];
};
export type Import = {
  guid: string;
  state: string;
  reason: string | null;
  counts: Record<string, number>;
  totalItems: number;
  items: Item[];
};

/** A tiny clip and a picture, which every video of a scripted source has. */
export async function makeFiles(): Promise<{ clip: Buffer; image: Buffer }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-import-'));
  const at = (name: string) => path.join(folder, name);
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=128x96:rate=5:duration=2', '-pix_fmt', 'yuv420p'];
  await run('ffmpeg', ['-v', 'error', ...source, '-c:v', 'libx264', '-preset', 'ultrafast', at('clip.mp4')]);
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:s=64x36', '-frames:v', '1', at('red.png')]);
  const files = { clip: await readFile(at('clip.mp4')), image: await readFile(at('red.png')) };
  await rm(folder, { recursive: true });
  return files;
}

/** Cuts a clip into MPEG-TS segments. */
export async function makeSegments(clip: Buffer): Promise<Buffer[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-import-'));
  const at = (name: string) => path.join(folder, name);
  await writeFile(at('clip.mp4'), clip);
  const encode = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '5', '-f', 'hls', '-hls_time', '1'];
  await run('ffmpeg', ['-v', 'error', '-i', at('clip.mp4'), ...encode, '-hls_list_size', '0', at('out.m3u8')]);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts')).toSorted();
  const segments = await Promise.all(names.map((name) => readFile(at(name))));
  await rm(folder, { recursive: true });
  return segments;
}

/** Starts the service so that it may connect to this machine. */
export function startImporter(dataDir: string | null, env: Record<string, string> = {}): Promise<Service> {
  return startService(dataDir, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.1/32', ...env });
}

/** Calls the API with the account key. Throws on any status but 2xx. */
export async function ask<T>(service: Service, method: string, at: string, body?: unknown): Promise<T> {
  const response = await fetch(`${service.apiUrl}${at}`, {
    method,
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${at} answered ${response.status}: ${text}`);
  // Tests assert on the fields that they read.
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** Waits until an import satisfies `done`; the service may be down in the meantime. */
export async function untilImport(
  current: () => Service,
  at: string,
  done: (report: Import) => boolean,
): Promise<Import> {
  let last: Import | null = null;
  for (const limit = Date.now() + 300_000; Date.now() < limit; ) {
    last = await ask<Import>(current(), 'GET', `${at}?itemsPerPage=1000`).catch(() => last);
    if (last !== null && done(last)) return last;
    await sleep(250);
  }
  throw new Error(`Waited too long for ${at}, last seen ${JSON.stringify({ ...last, items: [] })}.`);
}
