import { setTimeout } from 'node:timers/promises';
import type { StoredChunk, StoredRendition } from '../../catalog/publications/publication.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import type { ChunkIndex } from '../../media/cmaf/idx.ts';
import { type HlsKey, writeKeyAttributes } from '../../media/drm/signalling/hls-key.ts';
import { findIFrame, type IFrame, listIFrames } from '../../media/hls/i-frame.ts';
import { computeIFrameRates, type IFrameRates, writeIFramePlaylist } from '../../media/hls/i-frame-playlist.ts';
import { HeldCache } from '../cache/held-cache.ts';
import { chunksTag } from '../objects/chunks-tag.ts';
import type { IndexReader } from '../objects/index-reader.ts';

/** I-frame playlist of a finished rendition, and its bitrates for a multivariant playlist. */
export type IFrameList = { text: Buffer; rates: IFrameRates };

type Rates = ReadonlyMap<string, IFrameRates>;
type PlacedChunk = Pick<StoredChunk, 'storageKey' | 'startTick' | 'durationTicks'>;

const LIST_CACHE_BYTES = 16 * 2 ** 20;
const CHUNK_CACHE_BYTES = 8 * 2 ** 20;
const SAMPLE_BYTES = 17;
/**
 * Maximum number of videos whose I-frames are listed concurrently. At most eight sets of sample tables may be read
 * concurrently.
 */
const PREPARED_AT_ONCE = 4;
/** Time that a multivariant playlist waits for the rates of its I-frame playlists, in ms. */
const RATES_WAIT_MS = 1000;

/** Lists and finds I-frames. Reads the sample tables when they are first needed. */
export class IFrameLists {
  readonly #indexes: IndexReader;
  readonly #lists = new HeldCache<IFrameList>('i-frame-list', LIST_CACHE_BYTES, ({ text }) => text.length);
  readonly #chunks = new HeldCache<ChunkIndex>(
    'chunk-index',
    CHUNK_CACHE_BYTES,
    ({ syncs }) => syncs.length * SAMPLE_BYTES,
  );

  /** Running preparations by the names of their renditions. Requests for the same set share one preparation. */
  readonly #preparing = new Map<string, Promise<void>>();

  constructor(indexes: IndexReader) {
    this.#indexes = indexes;
  }

  /**
   * Returns the I-frame playlist of a rendition. `keys` are the keys that encrypt the rendition, if any. The playlist
   * contains them, so each set of keys has its own playlist.
   */
  list(rendition: StoredRendition, keys: readonly HlsKey[] = []): IFrameList | Promise<IFrameList> {
    const name = `${nameOf(rendition)}${keys.map(writeKeyAttributes).join()}`;
    return this.#lists.get(name, () => this.#make(rendition, keys));
  }

  /**
   * Returns the I-frame bitrates of each rendition, or null if computing them takes longer than a second, because
   * playback must not wait longer for scrubbing images. Later requests get the bitrates.
   */
  ratesOf(renditions: readonly StoredRendition[]): Rates | null | Promise<Rates | null> {
    const known = this.#knownRates(renditions);
    const name = renditions.map(nameOf).join();
    if (known !== null || (this.#preparing.size >= PREPARED_AT_ONCE && !this.#preparing.has(name))) return known;
    const prepared = this.#preparing.get(name) ?? this.#prepare(name, renditions);
    return Promise.race([
      prepared.then(() => this.#knownRates(renditions)),
      setTimeout(RATES_WAIT_MS, null, { ref: false }),
    ]);
  }

  #knownRates(renditions: readonly StoredRendition[]): Rates | null {
    const known = new Map<string, IFrameRates>();
    for (const rendition of renditions) {
      const list = this.#lists.peek(nameOf(rendition));
      if (list === null) return null;
      known.set(rendition.id, list.rates);
    }
    return known;
  }

  /** Returns the I-frame shown from a tick on and the chunk that contains it, or null if there is none. */
  async find<Chunk extends PlacedChunk>(
    rendition: { chunks: readonly Chunk[] },
    startTick: number,
  ): Promise<{ chunk: Chunk; frame: IFrame } | null> {
    const chunk = rendition.chunks.findLast((one) => one.startTick <= startTick);
    if (chunk === undefined || startTick >= chunk.startTick + chunk.durationTicks) return null;
    const index = await this.#chunks.get(chunk.storageKey, async () => {
      const [read] = await this.#indexes.read([chunk]);
      if (read === undefined) throw new Error(`Expected an index of ${chunk.storageKey}, got none.`);
      return read;
    });
    const frame = findIFrame(index, startTick);
    return frame === null ? null : { chunk, frame };
  }

  async #make({ chunks, timescale }: StoredRendition, keys: readonly HlsKey[]): Promise<IFrameList> {
    const indexes = await this.#indexes.read(chunks);
    const run = { timescale, frames: indexes.flatMap(listIFrames), isWhole: true };
    return { text: Buffer.from(writeIFramePlaylist(run, '', keys)), rates: computeIFrameRates(run) };
  }

  /**
   * Prepares the I-frame playlists of some renditions one after another. A failure is only logged, because the video
   * also plays without I-frame playlists.
   */
  #prepare(name: string, renditions: readonly StoredRendition[]): Promise<void> {
    const prepared = this.#listAll(renditions).finally(() => this.#preparing.delete(name));
    this.#preparing.set(name, prepared);
    return prepared;
  }

  async #listAll(renditions: readonly StoredRendition[]): Promise<void> {
    try {
      for (const rendition of renditions) await this.list(rendition);
    } catch (error) {
      logEvent('i-frames.unlisted', { err: error });
    }
  }
}

function nameOf({ id, chunks }: StoredRendition): string {
  return `${id}|${chunksTag(chunks)}`;
}
