import type { LiveStreamStatusModel } from '../../src/api/models/live-stream.ts';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { call } from '../support/videos.ts';
import type { LiveFixture } from './live-fixture.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { type LivePlace, readText, type TestStream, until } from './live-service.ts';
import { mediaPlaylistOf } from './read-recording.ts';

export async function statusOf({ service }: LivePlace, { key }: TestStream): Promise<LiveStreamStatusModel> {
  const address = `/library/${key.libraryId}/live/${key.mediaId}/status`;
  return (await call(service, 'GET', address)) as LiveStreamStatusModel;
}

/** Waits until the status of a stream has a reason why something is not shown, and returns it. */
export function reasonOf(place: LivePlace, stream: TestStream): Promise<string> {
  return until(async () => (await statusOf(place, stream)).transcoding?.reason ?? null, 'a reason in the status');
}

/** Ends a stream, and returns the URL of its recording's first video playlist. */
export async function recordingOf({ catalogue }: LivePlace, stream: TestStream): Promise<string> {
  await catalogue.streams.change(stream.key, stopStream);
  const address = await mediaPlaylistOf(stream.base);
  await until(async () => ((await readText(address))?.includes('#EXT-X-ENDLIST') ? true : null), 'the video');
  return address;
}

/** A stream, the position to play it to, and a function that waits until its publisher has sent everything. */
type Played = { stream: TestStream; sec: number; sent(): Promise<void> };

/** Plays a stream in hls.js until `sec`, and waits for the end of its publisher. Returns the faults of the player. */
export async function playUntil({ browser, service }: LiveFixture, { stream, sec, sent }: Played): Promise<string[]> {
  const multivariant = `${stream.base}/playlist.m3u8`;
  await until(() => readText(multivariant), 'a playlist');
  const page = await playLive(browser, service.edgeUrl, multivariant);
  await until(async () => ((await readPlayback(page)).timeSec >= sec ? true : null), `${sec} s of playback`, 60_000);
  await sent();
  const { errors, holes } = await readPlayback(page);
  await page.close();
  return [...faultsOf(errors), ...holes.map((hole) => `hole ${hole}`)];
}
