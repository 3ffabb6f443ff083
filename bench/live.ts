import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openLiveCatalogue, readText, until } from '../test/live/live-service.ts';
import { openBrowser } from '../test/support/browser.ts';
import { publishLoop } from '../test/support/flv-loop.ts';
import { openCpuGroup } from './support/cpu-group.ts';
import { runFfmpeg } from './support/ffmpeg.ts';
import { type BenchPlace, goLive } from './support/live/bench-streams.ts';
import { measureClip } from './support/live/clip-minute.ts';
import { publishClock } from './support/live/clock-publisher.ts';
import { measureGlass } from './support/live/glass-to-glass.ts';
import { startLoad } from './support/live/load-tool.ts';
import { startNginxRtmp } from './support/live/nginx-rtmp.ts';
import { measureReload } from './support/live/reload-cost.ts';
import { measureStop } from './support/live/stop-hour.ts';
import { measureStreams } from './support/live/stream-cost.ts';
import { measureViewers } from './support/live/viewer-cost.ts';
import { makeFolder, startMillrace } from './support/millrace.ts';
import { type Measurement, quantile, report, say } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Compares live streams with nginx and Debian's RTMP module, which supports neither low latency nor recordings as
// videos.
const FIRST_PARTS = 10;
const STREAMS = 60;
const VIEWERS = 60;
const GLASS = { settleMs: 8_000, measureMs: 20_000 };

await report('live', async (scope) => {
  const clip = await makeClip(scope);
  // Use control groups, because the encoders of still images exit too soon to be found as processes. A group remains
  // after its processes have exited.
  const groups = { ours: openCpuGroup(), baseline: openCpuGroup() };
  for (const group of Object.values(groups)) scope.own(() => group.close());
  const stopped = await measureStop(scope, clip);
  const service = await startMillrace(scope, { MILLRACE_PREVIEWS: 'off', MILLRACE_LIVE_CORES: '0' });
  const catalogue = await openLiveCatalogue(service);
  scope.own(() => catalogue.database.close());
  const place: BenchPlace = { scope, groups, service, nginx: await startNginxRtmp(scope), catalogue, clip };
  groups.ours.adopt(service.pid);
  groups.baseline.adopt(place.nginx.pid);
  // This stream runs during everything that follows, including the measurement of idle processes.
  const background = await goLive(place);
  const publisher = await startLoad(scope, 'publish-many.ts', [clip, background.ingest]);
  const measured = [
    ...(await measureFirstParts(place)),
    ...(await measureLatency(place)),
    ...(await measureStreams(place, STREAMS)),
    ...(await measureViewers(place, VIEWERS)),
    measureReload(),
    stopped,
    await measureClip(service, background.id),
  ];
  await publisher.stop();
  return measured;
});

/**
 * Creates 12 s of 720p30 at 2.6 Mbit/s, with a keyframe every 2 s, two B-frames, and AAC, so that nothing is encoded
 * during publishing.
 */
async function makeClip(scope: Scope): Promise<string> {
  const file = path.join(makeFolder(scope), 'clip.flv');
  const sources = ['-f', 'lavfi', '-i', 'testsrc2=s=1280x720:r=30:d=12', '-f', 'lavfi', '-i', 'sine=r=48000:d=12'];
  const rate = ['-b:v', '2470k', '-minrate', '2470k', '-maxrate', '2470k', '-bufsize', '2470k', '-nal-hrd', 'cbr'];
  const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '60', '-bf', '2', ...rate];
  await runFfmpeg([...sources, ...video, '-x264-params', 'scenecut=0', '-c:a', 'aac', '-b:a', '128k', '-y', file]);
  return file;
}

/**
 * Measures the time from the start of the connection to the last byte of the first part, or of the baseline's first
 * segment.
 */
async function measureFirstParts(place: BenchPlace): Promise<Measurement[]> {
  const clip = readFileSync(place.clip);
  const [ours, baseline]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < FIRST_PARTS; turn += 1) {
    const stream = await goLive(place);
    const first = () => readFirst(`${stream.base}/playlist.m3u8`, /^r\/\S+\//m, '0.0.m4s');
    ours.push(await timePublish(stream.ingest, clip, first));
    await stream.remove();
    const name = `first-${turn}`;
    const playlist = `${place.nginx.http}/${name}.m3u8`;
    baseline.push(await timePublish(`${place.nginx.rtmp}/${name}`, clip, () => readFirst(playlist, /^\S+\.ts/m, '')));
  }
  const name = `publish to first part, p95 of ${FIRST_PARTS}`;
  const figures = { ours: quantile(ours, 0.95), baseline: quantile(baseline, 0.95) };
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

/**
 * Measures the glass-to-glass latency. Frames show the time at which they were drawn, so the result includes encoder,
 * network, packaging, player and browser.
 */
async function measureLatency(place: BenchPlace): Promise<Measurement[]> {
  const browser = await openBrowser();
  place.scope.own(() => browser.close());
  const stream = await goLive(place);
  const playlist = `${stream.base}/playlist.m3u8`;
  const own = publishClock(place.scope, stream.ingest);
  await until(() => readText(playlist), 'a playlist');
  const ours = await measureGlass(browser, place.service.edgeUrl, { address: playlist, isLowLatency: true, ...GLASS });
  own.stop();
  await stream.remove();
  const other = publishClock(place.scope, `${place.nginx.rtmp}/glass`);
  const address = `${place.nginx.http}/glass.m3u8`;
  await until(async () => ((await readText(address))?.includes('.ts') ? true : null), 'a playlist of the baseline');
  const asked = { address, isLowLatency: false, ...GLASS };
  const baseline = await measureGlass(browser, new URL(address).origin, asked);
  other.stop();
  await browser.close();
  say(`Glass to glass: ${ours.latenciesMs.length} looks at ours, ${baseline.latenciesMs.length} at the baseline.`);
  const at = (share: number) => ({
    ours: quantile(ours.latenciesMs, share) / 1000,
    baseline: quantile(baseline.latenciesMs, share) / 1000,
    unit: 's',
    isAbsolute: true,
  });
  return [
    { name: 'glass to glass in hls.js, median', ...at(0.5), bar: 1.5 },
    { name: 'glass to glass in hls.js, p95', ...at(0.95), bar: 2.5 },
    { name: 'stalls', ours: ours.stalls, baseline: baseline.stalls, bar: 0, unit: '', isAbsolute: true },
  ];
}
