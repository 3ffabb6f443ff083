import type { StoredRendition } from '../../catalog/publications/publication.ts';
import { planVirtualMp4, type VirtualMp4Plan } from '../../media/mp4/plan-virtual-mp4.ts';
import type { StoredTrack } from '../../media/mp4/stored-track.ts';
import { HeldCache } from '../cache/held-cache.ts';
import type { IndexReader } from '../objects/index-reader.ts';

export type MovieTrack = StoredRendition & { init: Buffer };
/** Renditions of one MP4 file. `tag` changes whenever its bytes may change. */
export type Movie = { tag: string } & (
  | { video: MovieTrack; audio: MovieTrack | null }
  | { video: null; audio: MovieTrack }
);

const KEY_BYTES = 150;

/** Plans of MP4 files. Each plan is created once for all requests and cached within a memory limit. */
export class MoviePlans {
  readonly #indexes: IndexReader;
  readonly #plans: HeldCache<VirtualMp4Plan>;

  constructor(indexes: IndexReader, maxBytes: number) {
    this.#indexes = indexes;
    this.#plans = new HeldCache('movie-plan', maxBytes, planBytes);
  }

  async get(movie: Movie): Promise<VirtualMp4Plan> {
    return this.#plans.get(movie.tag, () => this.#make(movie));
  }

  async #make({ video, audio }: Movie): Promise<VirtualMp4Plan> {
    if (video === null) {
      return planVirtualMp4({ video, audio: await this.#readTrack(audio, audio.language) }, this.#indexes.closing);
    }
    const videoTrack = await this.#readTrack(video, null);
    const audioTrack = audio === null ? null : await this.#readTrack(audio, audio.language);
    return planVirtualMp4({ video: videoTrack, audio: audioTrack }, this.#indexes.closing);
  }

  async #readTrack({ init, chunks }: MovieTrack, language: string | null): Promise<StoredTrack> {
    const indexes = await this.#indexes.read(chunks);
    const stored = chunks.flatMap(({ storageKey }, number) => {
      const index = indexes[number];
      return index === undefined ? [] : [{ storageKey, index }];
    });
    return { init, language, chunks: stored };
  }
}

function planBytes({ head, extents }: VirtualMp4Plan): number {
  const { keys, offsets, keyNumbers, starts, lengths } = extents;
  const tables = offsets.byteLength + keyNumbers.byteLength + starts.byteLength + lengths.byteLength;
  return head.length + tables + keys.length * KEY_BYTES;
}
