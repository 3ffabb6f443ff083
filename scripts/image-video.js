// Uploads a clip to a service and plays it, or plays an existing video. Usage: image-video.js API_PORT EDGE_PORT upload
// FILE|play ID. Plain JavaScript without packages, because it runs with the Node of the image.
import { readFileSync } from 'node:fs';

const [apiPort, edgePort, verb, argument = ''] = process.argv.slice(2);
const videos = `http://127.0.0.1:${apiPort}/library/1/videos`;
const headers = { AccessKey: 'image-library-key', 'Content-Type': 'application/json' };
const FINISHED = 4;
/** Maximum number of times that a request is repeated because the service is not available. */
const MAX_UNAVAILABLE = 20;
/** Emulated processors are slow. */
const MAX_WAIT_MS = Number(process.env.IMAGE_VIDEO_WAIT_MS ?? 600_000);

const id = verb === 'upload' ? await upload(argument) : argument;
await play(id);
process.stdout.write(`${id}\n`);

/** @param {string} file */
async function upload(file) {
  const created = await read(await fetchPatiently(videos, { method: 'POST', headers, body: '{"title":"clip"}' }));
  await read(await fetchPatiently(`${videos}/${created.guid}`, { method: 'PUT', headers, body: readFileSync(file) }));
  const deadlineMs = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const video = await read(await fetchPatiently(`${videos}/${created.guid}`, { headers }));
    if (video.status === FINISHED) return created.guid;
    const isLost = video.status > FINISHED || Date.now() > deadlineMs;
    if (isLost) throw new Error(`Expected a finished video, got ${JSON.stringify(video)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Reads the playlists and every segment of the first rendition. @param {string} guid */
async function play(guid) {
  const base = `http://127.0.0.1:${edgePort}/vz-1/${guid}/`;
  const main = await text(`${base}playlist.m3u8`);
  const rendition = new URL(uris(main)[0] ?? '', `${base}playlist.m3u8`);
  const segments = uris(await text(rendition.href));
  if (segments.length === 0) throw new Error(`Expected segments in ${rendition.href}, found none.`);
  for (const segment of segments) await text(new URL(segment, rendition).href);
}

/**
 * Like `fetch`, but repeats a request while the service responds that it is not available.
 * @param {string | URL} url
 * @param {RequestInit} [options]
 */
async function fetchPatiently(url, options) {
  for (let triesLeft = MAX_UNAVAILABLE; ; triesLeft -= 1) {
    const response = await fetch(url, options);
    if (response.status !== 503 || triesLeft === 0) return response;
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get('Retry-After') ?? 5)));
  }
}

/** @param {string} playlist */
function uris(playlist) {
  return playlist.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** @param {string} url */
async function text(url) {
  const response = await fetchPatiently(url);
  const body = await response.text();
  if (response.status !== 200 || body === '') throw new Error(`Expected 200 from ${url}, got ${response.status}.`);
  return body;
}

/** @param {Response} response */
async function read(response) {
  const body = await response.json();
  const { ok, url, status } = response;
  if (!ok) throw new Error(`Expected success from ${url}, got ${status}: ${JSON.stringify(body)}`);
  return body;
}
