import { decodeKeyframe } from './decode-keyframe.ts';
import { findKeyframeList, type Keyframe, readKeyframes } from './keyframe-list.ts';

/** Returns the media sequence number of the segment that is shown at a time of the video, or null if it is unknown. */
export type SequenceAt = (sec: number) => number | null;

const MAX_PICTURES = 120;
const MAX_INITS = 8;
/** Minimum interval, in ms, between requests for a playlist that lacks a segment. */
const LIST_AGE_MS = 2_000;

/**
 * Fetches and decodes keyframes of a growing stream on demand, since there is no storyboard yet. Of several concurrent
 * requests, only the last is completed.
 */
export class Keyframes {
  readonly #playlistUrl: string;
  readonly #sequenceAt: SequenceAt;
  readonly #pictures = new Map<string, ImageBitmap>();
  readonly #inits = new Map<string, Uint8Array>();
  #list: { url: string; codec: string } | null = null;
  #frames: Keyframe[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;
  #wantedSec: number | null = null;
  #isBusy = false;

  constructor(playlistUrl: string, sequenceAt: SequenceAt) {
    this.#playlistUrl = playlistUrl;
    this.#sequenceAt = sequenceAt;
  }

  /** Whether the browser has WebCodecs, which exists only in secure contexts. */
  static get isSupported(): boolean {
    return typeof VideoDecoder === 'function';
  }

  /** Returns the image at a time if it is loaded. Otherwise calls `shown` when it has arrived. */
  look(sec: number, shown: () => void): ImageBitmap | null {
    const frame = this.#find(sec);
    const picture = frame === null ? undefined : this.#pictures.get(frame.url);
    if (picture !== undefined) return picture;
    this.#wantedSec = sec;
    if (!this.#isBusy) void this.#fetchAll(shown);
    return null;
  }

  async #fetchAll(shown: () => void): Promise<void> {
    this.#isBusy = true;
    // If this fails, only the time is shown, and the next call tries again.
    const hasNew = await this.#fetchWanted().catch(() => false);
    this.#isBusy = false;
    if (hasNew) shown();
  }

  async #fetchWanted(): Promise<boolean> {
    let hasNew = false;
    while (this.#wantedSec !== null) {
      const sec = this.#wantedSec;
      this.#wantedSec = null;
      if (this.#find(sec) === null) await this.#readList();
      const frame = this.#find(sec);
      if (frame !== null && !this.#pictures.has(frame.url)) {
        await this.#fetchPicture(frame);
        hasNew = true;
      }
    }
    return hasNew;
  }

  #find(sec: number): Keyframe | null {
    const sequence = this.#sequenceAt(sec);
    if (sequence === null) return null;
    return this.#frames.find((frame) => frame.sequence === sequence) ?? null;
  }

  async #readList(): Promise<void> {
    if (performance.now() - this.#readAtMs < LIST_AGE_MS) return;
    this.#readAtMs = performance.now();
    this.#list ??= findKeyframeList(await fetchText(this.#playlistUrl), new URL(this.#playlistUrl, location.href).href);
    if (this.#list !== null) this.#frames = readKeyframes(await fetchText(this.#list.url), this.#list.url);
  }

  async #fetchPicture({ url, initUrl }: Keyframe): Promise<void> {
    if (this.#list === null) return;
    const init = this.#inits.get(initUrl) ?? (await fetchBytes(initUrl));
    keep(this.#inits, initUrl, init, MAX_INITS);
    const picture = await decodeKeyframe(this.#list.codec, init, await fetchBytes(url));
    const old = keep(this.#pictures, url, picture, MAX_PICTURES);
    old?.close();
  }
}

/** Stores a value. Returns the evicted one. */
function keep<Value>(map: Map<string, Value>, name: string, value: Value, most: number): Value | null {
  map.set(name, value);
  const [oldest] = map;
  if (map.size <= most || oldest === undefined) return null;
  map.delete(oldest[0]);
  return oldest[1];
}

async function fetchOk(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`Expected a response from ${url}, got status ${response.status}.`);
  return response;
}

async function fetchText(url: string): Promise<string> {
  return (await fetchOk(url)).text();
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetchOk(url)).arrayBuffer());
}
