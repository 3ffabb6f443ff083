import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStream } from '../src/catalog/live/live-stream.ts';
import { LIVE_SETTINGS, openLiveCatalogue, readText, until } from '../test/live/live-service.ts';
import { openBrowser } from '../test/support/browser.ts';
import { publishLoop } from '../test/support/flv-loop.ts';
import type { Service } from '../test/support/service.ts';
import { type CpuGroup, openCpuGroup } from './support/cpu-group.ts';
import { runFfmpeg } from './support/ffmpeg.ts';
import { measureClip } from './support/live/clip-minute.ts';
import { publishClock } from './support/live/clock-publisher.ts';
import { measureGlass } from './support/live/glass-to-glass.ts';
import { type NginxRtmp, startNginxRtmp } from './support/live/nginx-rtmp.ts';
import { measureReload } from './support/live/reload-cost.ts';
import { measureStop } from './support/live/stop-hour.ts';
import { makeFolder, startMillrace } from './support/millrace.ts';
import { argvOf, cpuTicks, listTree, programOf, pssBytes } from './support/process-tree.ts';
import { type Measurement, quantile, report, say } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Live streams against nginx with Debian's module of RTMP, which has neither low latency nor a recording that is a video.
const FIRST_PARTS = 10;
const STREAMS = 60;
const VIEWERS = 60;
const COUNT_MS = 15_000;
const GLASS = { settleMs: 8_000, measureMs: 20_000 };
const TICKS_PER_SEC = 100;
const MIB = 2 ** 20;

type Place = {
  scope: Scope;
  groups: { ours: CpuGroup; anchor: CpuGroup };
  service: Service;
  nginx: NginxRtmp;
  catalogue: Awaited<ReturnType<typeof openLiveCatalogue>>;
  clip: string;
};

await report('live', async (scope) => {
  const clip = await makeClip(scope);
  // Encoders of stills live too short to be found by their process: groups count them all the same. They outlive what
  // is in them.
  const groups = { ours: openCpuGroup(), anchor: openCpuGroup() };
  for (const group of Object.values(groups)) scope.own(() => group.close());
  const service = await startMillrace(scope, { MILLRACE_PREVIEWS: 'off', MILLRACE_LIVE_CORES: '0' });
  const catalogue = await openLiveCatalogue(service);
  scope.own(() => catalogue.database.close());
  const place = { scope, groups, service, nginx: await startNginxRtmp(scope), catalogue, clip };
  // It runs beside all that follows; idle processes are measured with it.
  const background = await goLive(place);
  await runTool(scope, 'publish-many.ts', [clip, background.ingest]);
  return [
    ...(await measureFirstParts(place)),
    ...(await measureLatency(place)),
    ...(await measureStreams(place)),
    ...(await measureViewers(place)),
    measureReload(),
    await measureStop(place),
    await measureClip(service, background.id),
  ];
});

/** 12 s of 720p30 at 2.6 Mbit/s, a keyframe each 2 s, two B-frames, and AAC: nothing is encoded while it is published. */
async function makeClip(scope: Scope): Promise<string> {
  const file = path.join(makeFolder(scope), 'clip.flv');
  const sources = ['-f', 'lavfi', '-i', 'testsrc2=s=1280x720:r=30:d=12', '-f', 'lavfi', '-i', 'sine=r=48000:d=12'];
  const rate = ['-b:v', '2470k', '-minrate', '2470k', '-maxrate', '2470k', '-bufsize', '2470k', '-nal-hrd', 'cbr'];
  const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '60', '-bf', '2', ...rate];
  await runFfmpeg([...sources, ...video, '-x264-params', 'scenecut=0', '-c:a', 'aac', '-b:a', '128k', '-y', file]);
  return file;
}

type Stream = { id: string; base: string; ingest: string };

async function goLive({ catalogue, service }: Place): Promise<Stream> {
  const { stream, streamKey } = await catalogue.streams.create({ ...LIVE_SETTINGS, libraryId: 1 });
  await catalogue.streams.change({ libraryId: 1, mediaId: stream.id }, startStream);
  const { listeners } = await service.health();
  const ingest = `rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`;
  return { id: stream.id, ingest, base: `${service.edgeUrl}/vz-1/${stream.id}` };
}

/** From the start of the connection to the last byte of the first part, or of the first segment of the anchor. */
async function measureFirstParts(place: Place): Promise<Measurement[]> {
  const clip = readFileSync(place.clip);
  const [ours, anchor]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < FIRST_PARTS; turn += 1) {
    const { ingest, base } = await goLive(place);
    ours.push(await timePublish(ingest, clip, () => readFirst(`${base}/playlist.m3u8`, /^r\/\S+\//m, '0.0.m4s')));
    const name = `first-${turn}`;
    const playlist = `${place.nginx.http}/${name}.m3u8`;
    anchor.push(await timePublish(`${place.nginx.rtmp}/${name}`, clip, () => readFirst(playlist, /^\S+\.ts/m, '')));
  }
  const name = `publish to first part, p95 of ${FIRST_PARTS}`;
  const figures = { ours: quantile(ours, 0.95), anchor: quantile(anchor, 0.95) };
  return [{ name, ...figures, bar: 0.5, unit: 's', isAbsolute: true }];
}

async function timePublish(address: string, clip: Buffer, isThere: () => Promise<boolean>): Promise<number> {
  const startedMs = performance.now();
  const { stop } = await publishLoop(address, clip);
  await until(async () => ((await isThere()) ? true : null), `media of ${address}`);
  const sec = (performance.now() - startedMs) / 1000;
  stop();
  return sec;
}

async function readFirst(playlist: string, name: RegExp, file: string): Promise<boolean> {
  const [found] = name.exec((await readText(playlist)) ?? '') ?? [];
  if (found === undefined) return false;
  const response = await fetch(new URL(`${found}${file}`, playlist));
  return response.ok && (await response.arrayBuffer()).byteLength > 0;
}

/** Pictures show when they were drawn: encoder, network, packaging, player and browser are all in it. */
async function measureLatency(place: Place): Promise<Measurement[]> {
  const browser = await openBrowser();
  place.scope.own(() => browser.close());
  const { ingest, base } = await goLive(place);
  const playlist = `${base}/playlist.m3u8`;
  const own = publishClock(place.scope, ingest);
  await until(() => readText(playlist), 'a playlist');
  const ours = await measureGlass(browser, place.service.edgeUrl, { address: playlist, isLowLatency: true, ...GLASS });
  own.stop();
  const other = publishClock(place.scope, `${place.nginx.rtmp}/glass`);
  const address = `${place.nginx.http}/glass.m3u8`;
  await until(async () => ((await readText(address))?.includes('.ts') ? true : null), 'a playlist of the anchor');
  const asked = { address, isLowLatency: false, ...GLASS };
  const anchor = await measureGlass(browser, new URL(address).origin, asked);
  other.stop();
  await browser.close();
  say(`Glass to glass: ${ours.latenciesMs.length} pictures of ours, ${anchor.latenciesMs.length} of the anchor.`);
  const at = (share: number) => ({
    ours: quantile(ours.latenciesMs, share) / 1000,
    anchor: quantile(anchor.latenciesMs, share) / 1000,
    unit: 's',
    isAbsolute: true,
  });
  return [
    { name: 'glass to glass in hls.js, median', ...at(0.5), bar: 1.5 },
    { name: 'glass to glass in hls.js, p95', ...at(0.95), bar: 2.5 },
    { name: 'stalls', ours: ours.stalls, anchor: anchor.stalls, bar: 0, unit: '', isAbsolute: true },
  ];
}

/** CPU and memory that streams add, the database included, over what an idle service takes. */
async function measureStreams(place: Place): Promise<Measurement[]> {
  const { service, nginx, groups } = place;
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => goLive(place)));
  const listen = () => untilFlowing(streams);
  const own = await loadWith(place, {
    group: groups.ours,
    pid: service.pid,
    addresses: streams.map(({ ingest }) => ingest),
    listen,
  });
  const addresses = streams.map((_, at) => `${nginx.rtmp}/many-${at}`);
  const other = await loadWith(place, { group: groups.anchor, pid: nginx.pid, addresses, listen: () => sleep(3_000) });
  const parts = Object.entries(own.cpuBy).map(([name, cores]) => `${name} ${((cores * 100) / STREAMS).toFixed(2)} %`);
  say(`Of a core a stream: ${parts.join(', ')}.`);
  const perCore = { ours: STREAMS / own.cores, anchor: STREAMS / other.cores, unit: 'streams' };
  const memory = { ours: own.bytes / MIB / STREAMS, anchor: other.bytes / MIB / STREAMS, unit: 'MiB' };
  return [
    { name: `copy-only streams per core, from ${STREAMS}`, ...perCore, bar: 100, isFloor: true, isAbsolute: true },
    { name: 'memory a stream, database included', ...memory, bar: 4, isAbsolute: true },
  ];
}

type Load = { group: CpuGroup; pid: number; addresses: readonly string[]; listen(): Promise<unknown> };

async function loadWith({ scope, clip }: Place, { group, pid, addresses, listen }: Load) {
  group.adopt(pid);
  const idle = await countCpu(group, pid, COUNT_MS / 3);
  const bytesBefore = memoryOf(pid);
  const stop = await runTool(scope, 'publish-many.ts', [clip, ...addresses]);
  await listen();
  const busy = await countCpu(group, pid, COUNT_MS);
  const bytes = memoryOf(pid) - bytesBefore;
  await stop();
  const cpuBy = Object.fromEntries(
    Object.entries(busy.by).map(([name, cores]) => [name, cores - (idle.by[name] ?? 0)]),
  );
  return { cores: busy.cores - idle.cores, cpuBy, bytes };
}

function memoryOf(pid: number): number {
  return listTree(pid).reduce((sum, one) => sum + pssBytes(one), 0);
}

/** Cores that a group used for a while, and those of them that each long-lived program did. */
async function countCpu(group: Pick<CpuGroup, 'usedSec'>, pid: number, forMs: number) {
  // Names are read first: some have ended by then.
  const before = listTree(pid).map((one) => ({ one, name: nameOf(one), ticks: cpuTicks(one) }));
  const usedBefore = group.usedSec();
  const startedMs = performance.now();
  await sleep(forMs);
  const sec = (performance.now() - startedMs) / 1000;
  const by: Record<string, number> = {};
  for (const { one, name, ticks } of before) {
    by[name] = (by[name] ?? 0) + Math.max(0, cpuTicks(one) - ticks) / TICKS_PER_SEC / sec;
  }
  return { cores: (group.usedSec() - usedBefore) / sec, by };
}

/** The role of one of our processes, or the program; empty when it is gone. */
function nameOf(pid: number): string {
  const words = argvOf(pid);
  const role = words.findIndex((word) => word.endsWith('role.ts'));
  return role === -1 ? programOf(pid) : (words[role + 1] ?? '');
}

/** Resolves when the last stream has two segments: all have come over their start. */
async function untilFlowing(streams: readonly Stream[]): Promise<void> {
  const { base } = streams.at(-1) as Stream;
  await until(
    async () => ((await mediaTexts(base)).every((text) => text.includes('#EXTINF')) ? true : null),
    'segments',
  );
  await sleep(4_000);
}

async function mediaPlaylists(base: string): Promise<string[]> {
  const text = (await readText(`${base}/playlist.m3u8`)) ?? '';
  // Not those of keyframes alone, which players read for their bar.
  return [...text.matchAll(/^(?:#EXT-X-MEDIA:.*URI=")?(r\/[^"\n]*\.m3u8)/gm)].map(
    ([, address]) => `${base}/${address}`,
  );
}

async function mediaTexts(base: string): Promise<string[]> {
  const texts = await Promise.all((await mediaPlaylists(base)).map(async (address) => (await readText(address)) ?? ''));
  return texts.length === 0 ? [''] : texts;
}

/** What a viewer costs the edge, with pictures and sound, parts and blocking reloads; plain viewers cost the anchor. */
async function measureViewers(place: Place): Promise<Measurement[]> {
  const { service, nginx, scope } = place;
  const stream = await goLive(place);
  const { ingest, base } = stream;
  const stopStream = await runTool(scope, 'publish-many.ts', [place.clip, ingest, `${nginx.rtmp}/viewed`]);
  await untilFlowing([stream]);
  const edge = listTree(service.pid).find((pid) => nameOf(pid) === 'edge') ?? 0;
  const cost = async (pid: number, kind: string, playlists: string[]) => {
    const stop = await runTool(scope, 'view-many.ts', [kind, String(VIEWERS), ...playlists]);
    await sleep(3_000);
    const before = cpuTicks(pid);
    await sleep(COUNT_MS);
    const cores = ((cpuTicks(pid) - before) / TICKS_PER_SEC) * (1_000 / COUNT_MS);
    await stop();
    return VIEWERS / cores;
  };
  const ours = await cost(edge, 'low-latency', await mediaPlaylists(base));
  const anchor = await cost(nginx.pid, 'plain', [`${nginx.http}/viewed.m3u8`]);
  await stopStream();
  const name = `low-latency viewers per edge core, from ${VIEWERS}`;
  return [{ name, ours, anchor, bar: 500, unit: 'viewers', isFloor: true, isAbsolute: true }];
}

/** Starts a program of this folder in a process of its own and waits for its first line; the answer ends it. */
async function runTool(scope: Scope, file: string, args: readonly string[]): Promise<() => Promise<void>> {
  const script = path.join(import.meta.dirname, 'support/live', file);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  scope.own(stop);
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  child.stdout.resume();
  if (child.exitCode !== null) throw new Error(`Expected ${file} to go on, it ended with ${child.exitCode}.`);
  return stop;
}
