import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Database, MediaKey } from '../../src/catalog/db.ts';
import { startStream } from '../../src/catalog/live/live-stream.ts';
import { createLiveStore, type LiveStore, type NewLiveStream } from '../../src/catalog/live/streams/live-store.ts';
import { createSecretBox, type SecretBox } from '../../src/lib/secret-box.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { onceARun } from '../support/once-a-run.ts';
import type { Health, Service } from '../support/service.ts';

/** Each poll makes one or more requests, which cost CPU time in two processes. */
const LOOK_MS = 100;

/** Options for programs that read a stream. Only a hang exceeds the timeout. */
export const BOUNDED = { timeout: 90_000, killSignal: 'SIGKILL' } as const;

export const LIVE_SETTINGS: Omit<NewLiveStream, 'libraryId'> = {
  title: 'Live',
  description: null,
  category: null,
  collectionId: null,
  isPublic: true,
  scheduledStartAt: null,
  scheduledEndAt: null,
  dvrEnabled: false,
  dvrWindowSec: null,
  recordVod: true,
  countdownEnabled: null,
  relays: null,
  trailerVideoId: null,
  availableResolutions: '360p',
  ingestRegion: 'local',
};

export type LiveCatalogue = { database: Database; secretBox: SecretBox; streams: LiveStore };

/** Opens the live streams of a running service, as its own processes see them. */
export async function openLiveCatalogue(service: Service): Promise<LiveCatalogue> {
  const database = openCatalogue(service);
  const secretBox = createSecretBox(await readFile(path.join(service.dataDir, 'secret.key')));
  return { database, secretBox, streams: createLiveStore({ db: database.db, secretBox }) };
}

/** A stream of a service, with its RTMP publishing URL (`ingest`) and its playback URL (`base`). */
export type TestStream = {
  key: MediaKey;
  streamKey: string;
  listeners: Health['listeners'];
  ingest: string;
  base: string;
};

export type LivePlace = { service: Service; catalogue: LiveCatalogue };

/** Creates a stream without starting it. */
export async function createLive(
  { service, catalogue }: LivePlace,
  settings: Partial<typeof LIVE_SETTINGS> = {},
): Promise<TestStream> {
  const { stream, streamKey } = await catalogue.streams.create({ ...LIVE_SETTINGS, ...settings, libraryId: 1 });
  const { listeners } = await service.health();
  return {
    key: { libraryId: 1, mediaId: stream.id },
    ...{ streamKey, listeners },
    ingest: `rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`,
    base: `${service.edgeUrl}/vz-1/${stream.id}`,
  };
}

/** Creates a stream and starts it. */
export async function startLive(place: LivePlace, settings: Partial<typeof LIVE_SETTINGS> = {}): Promise<TestStream> {
  const stream = await createLive(place, settings);
  await place.catalogue.streams.change(stream.key, startStream);
  return stream;
}

/** A low frame rate, because the cost of encoding and drawing depends on the number of frames. */
export const FEW_PICTURES = { rate: 12 };

/** So small that no rung is encoded below it. */
export const NO_RUNGS = { size: '320x180', ...FEW_PICTURES };

type TestPicture = { size?: string; rate?: number };

/**
 * Publishes a test pattern (2 s between keyframes, two B-frames) and a tone in real time, at most until the end of the
 * test. It is encoded once per run and sent in a loop.
 */
export async function publish(url: string, { size = '640x360', rate = 25 }: TestPicture = {}): Promise<ChildProcess> {
  // 750 frames of AAC: audio and video have the same length, so each loop follows the last without a gap.
  const clip = await encodeOnce({ size, rate, lengthSec: 16 });
  const argv = ['-nostdin', '-v', 'error', '-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-f', 'flv', url];
  return endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}

/** Returns an MP4 of 12 s (H.264, 2 s between keyframes, two B-frames; AAC) that all tests of a run share. */
export function makeClip(): Promise<string> {
  return encodeOnce({ size: '320x180', rate: 25, lengthSec: 12 });
}

function encodeOnce({ size, rate, lengthSec }: Required<TestPicture> & { lengthSec: number }): Promise<string> {
  return onceARun(`live-${size}-${rate}-${lengthSec}.mp4`, async (place) => {
    const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}`];
    const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
    const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', `${2 * rate}`, '-b:v', '800k', '-bf', '2'];
    const audio = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2'];
    const argv = ['-nostdin', '-v', 'error', ...picture, ...tone, '-t', `${lengthSec}`, ...video, ...audio, place];
    await promisify(execFile)('ffmpeg', argv);
  });
}

/**
 * Publishes a clip with GStreamer in real time, at most until the end of the test. `sink` begins with the muxer named
 * `mux`.
 */
export function publishByGstreamer(clip: string, sink: readonly string[]): ChildProcess {
  const source = ['filesrc', `location=${clip}`, '!', 'qtdemux', 'name=demux'];
  const video = ['demux.video_0', '!', 'queue', '!', 'h264parse', 'config-interval=-1', '!', 'mux.'];
  const audio = ['demux.audio_0', '!', 'queue', '!', 'aacparse', '!', 'mux.'];
  const argv = ['-q', ...source, ...video, ...audio, ...sink];
  return endWithTest(spawn('gst-launch-1.0', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}

export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Polls until the result is not null, and returns it. */
export async function until<T>(
  ask: () => Promise<T | null>,
  what: string | (() => string),
  limitMs = 30_000,
): Promise<T> {
  const limit = Date.now() + limitMs;
  while (Date.now() < limit) {
    const found = await ask();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`Expected ${typeof what === 'string' ? what : what()} within ${limitMs} ms.`);
}

/** Returns the body of a response. Null for a refusal. */
export async function readText(url: string): Promise<string | null> {
  const response = await fetch(url);
  const body = await response.text();
  return response.ok ? body : null;
}

export type Decoded = {
  errors: string;
  video: string | null;
  audio: string | null;
  videoFrames: number;
  audioFrames: number;
};

/**
 * Reads a playlist with ffmpeg: the reports of its decoder, and the codecs and frame counts of the first video and
 * audio track.
 */
export async function framesOf(playlist: string): Promise<Decoded> {
  const argv = ['-v', 'error', '-count_frames', '-show_entries', 'stream=codec_type,codec_name,nb_read_frames'];
  const { stdout, stderr } = await promisify(execFile)('ffprobe', [...argv, '-of', 'json', playlist], BOUNDED);
  const { streams } = JSON.parse(stdout) as {
    streams: { codec_type: string; codec_name: string; nb_read_frames: string }[];
  };
  const [video, audio] = ['video', 'audio'].map((type) => streams.find((stream) => stream.codec_type === type));
  return {
    errors: stderr,
    video: video?.codec_name ?? null,
    audio: audio?.codec_name ?? null,
    videoFrames: Number(video?.nb_read_frames ?? 0),
    audioFrames: Number(audio?.nb_read_frames ?? 0),
  };
}
