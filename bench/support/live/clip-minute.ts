import { until } from '../../../test/live/live-service.ts';
import { readMedia } from '../../../test/live/read-recording.ts';
import type { Service } from '../../../test/support/service.ts';
import { call, playlistUrl, type VideoAnswer } from '../../../test/support/videos.ts';
import type { Measurement } from '../report.ts';

const CLIPS = 3;
const CLIP_MS = 60_000;

/**
 * Measures the time from the request for the last minute of a running stream to its complete playlist. Nothing is
 * encoded.
 */
export async function measureClip(service: Service, videoId: string): Promise<Measurement> {
  const times: number[] = [];
  for (let turn = 0; turn < CLIPS; turn += 1) {
    const startedMs = performance.now();
    const wanted = { title: 'Clip', parts: [{ videoId, startMs: -CLIP_MS }] };
    const { guid } = (await call(service, 'POST', '/library/1/videos/compose', wanted)) as VideoAnswer;
    const base = playlistUrl(service, guid).replace('/playlist.m3u8', '');
    const text = await until(async () => {
      const found = await readMedia(base);
      return found?.includes('#EXT-X-ENDLIST') ? found : null;
    }, 'the whole clip');
    times.push((performance.now() - startedMs) / 1000);
    const lengthSec = [...text.matchAll(/^#EXTINF:([\d.]+)/gm)].reduce((sum, [, sec]) => sum + Number(sec), 0);
    // The clip begins and ends at segment boundaries.
    if (lengthSec < CLIP_MS / 1000 - 5) throw new Error(`Expected a clip of a minute, got one of ${lengthSec} s.`);
  }
  return {
    name: `clip of the last 60 s of a running stream, slowest of ${CLIPS}`,
    ours: Math.max(...times),
    baseline: null,
    bar: 1,
    unit: 's',
  };
}
