import { type AvSync, measureAvSync, type SyncReading } from '../../support/av-sync.ts';
import type { Service } from '../../support/service.ts';
import type { VideoAnswer } from '../../support/videos.ts';
import { call, createVideo, FINISHED, getVideo, playlistUrl, untilVideo, uploadFile } from '../../support/videos.ts';
import { compareSync, type SyncError } from './compare-sync.ts';

/** A/V sync errors of one output of a video, such as its DASH manifest. */
export type MeasuredProduct = SyncError & { product: Product };
export type Product = 'HLS' | 'DASH' | 'MP4' | 'clip' | 'joined';

/** Parts of a clip with exact ends, and of a joined video, in seconds. The second begins before the first. */
const CLIP: Span = [2.3, 6.7];
const JOINED: readonly Span[] = [
  [4.1, 8.3],
  [0.5, 3.5],
];

type Span = readonly [number, number];
type Source = { shown: string; reading: SyncReading; isComposed: boolean };

/** Timeout that only a hang exceeds. */
const LIMIT_MS = 360_000;

/** Uploads a source for `measureVideo`, which waits until the video is finished. */
export async function sendSource(service: Service, name: string, file: string): Promise<string> {
  const guid = await createVideo(service, name);
  const { status } = await uploadFile(service, guid, file);
  if (status !== 200) throw new Error(`Expected the upload of ${name} to be accepted, got ${status}.`);
  return guid;
}

/** Measures all served outputs of a video against its source. */
export async function measureVideo(service: Service, guid: string, source: Source): Promise<MeasuredProduct[]> {
  await untilVideo(service, guid, ({ status }) => status === FINISHED, LIMIT_MS);
  const before = await measureAvSync(source.shown, source.reading);
  const measured: MeasuredProduct[] = [];
  let whole: AvSync | null = null;
  for (const { product, address } of await productsOf(service, guid)) {
    const after = await measureAvSync(address, source.reading);
    whole ??= after;
    measured.push({ product, ...compareSync([{ before, fromSec: 0, toSec: Number.POSITIVE_INFINITY }], after) });
  }
  if (!source.isComposed || whole === null) return measured;
  // Parts are compared with the encoded video. Adds the error of the video, to get the error relative to the source.
  const ownMs = measured[0]?.largestMs ?? 0;
  const composedFrom = whole;
  for (const { product, address, spans } of await composedOf(service, guid)) {
    const after = await measureAvSync(address, source.reading);
    const parts = spans.map(([fromSec, toSec]) => ({ before: composedFrom, fromSec, toSec }));
    const found = compareSync(parts, after);
    measured.push({ product, ...found, largestMs: found.largestMs + ownMs });
  }
  return measured;
}

type Served = { product: Product; address: string };

async function productsOf(service: Service, guid: string): Promise<Served[]> {
  const playlist = playlistUrl(service, guid);
  const addressOf = (file: string) => playlist.replace('playlist.m3u8', file);
  const rungs = (await getVideo(service, guid)).availableResolutions.split(',');
  return [
    { product: 'HLS', address: playlist },
    { product: 'DASH', address: addressOf('manifest.mpd') },
    ...rungs.map((rung) => ({ product: 'MP4' as const, address: addressOf(`play_${rung}.mp4`) })),
  ];
}

async function composedOf(service: Service, guid: string): Promise<(Served & { spans: readonly Span[] })[]> {
  const served = [
    { product: 'clip' as const, spans: [CLIP] },
    { product: 'joined' as const, spans: JOINED },
  ];
  const guids: string[] = [];
  for (const { spans } of served) guids.push(await compose(service, guid, spans));
  for (const one of guids) await untilVideo(service, one, ({ status }) => status === FINISHED, LIMIT_MS);
  return served.map((one, index) => ({ ...one, address: playlistUrl(service, guids[index] ?? '') }));
}

async function compose(service: Service, videoId: string, spans: readonly Span[]): Promise<string> {
  const parts = spans.map(([fromSec, toSec]) => ({ videoId, startMs: fromSec * 1_000, endMs: toSec * 1_000 }));
  const composed = await call(service, 'POST', '/library/1/videos/compose', { title: 'Composed', parts });
  // The conformance tests verify that the response is a VideoModel.
  return (composed as VideoAnswer).guid;
}
