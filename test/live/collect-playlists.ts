import { setTimeout as sleep } from 'node:timers/promises';
import { readLivePlaylist } from '../support/rfc8216/live/read-live-playlist.ts';
import { readText } from './live-service.ts';

/** `byPlaylist`: the texts that a player of each media playlist has received so far, in order. */
export type Collector = {
  byPlaylist: ReadonlyMap<string, readonly string[]>;
  /** Reads all playlists simultaneously. */
  readTogether(): Promise<string[]>;
  stop(): Promise<void>;
};

const PAUSE_MS = 100;

/**
 * Follows all media playlists of a stream until it is stopped. Uses blocking reloads, as low-latency players do, and
 * requests every second one as a delta update.
 */
export async function collectPlaylists(base: string): Promise<Collector> {
  const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
  const addresses = [
    ...new Set([...multivariant.matchAll(/(?:^|URI=")(r\/[^"\n]*\.m3u8)/gm)].map(([, at]) => `${base}/${at}`)),
  ];
  const byPlaylist = new Map<string, string[]>(addresses.map((address) => [address, []]));
  let isStopped = false;
  const follow = async (address: string, texts: string[]) => {
    while (!isStopped) {
      const text = await readText(reloadOf(address, texts)).catch(() => null);
      if (text !== null) texts.push(text);
      // After an immediate response, for example from an edge whose owner is unreachable, waits before the next
      // request.
      await sleep(PAUSE_MS);
    }
  };
  const followed = [...byPlaylist].map(([address, texts]) => follow(address, texts));
  return {
    byPlaylist,
    readTogether: () => Promise.all(addresses.map(async (address) => (await readText(address)) ?? '')),
    async stop() {
      isStopped = true;
      await Promise.all(followed);
    },
  };
}

function reloadOf(address: string, texts: readonly string[]): string {
  const newest = texts.at(-1);
  if (newest === undefined) return address;
  const { media, control } = readLivePlaylist(newest);
  const last = media.at(-1);
  if (last === undefined || control?.get('CAN-BLOCK-RELOAD') !== 'YES') return address;
  const next =
    last.uri === null ? `${last.sequence}&_HLS_part=${last.parts.length}` : `${last.sequence + 1}&_HLS_part=0`;
  return `${address}?_HLS_msn=${next}${texts.length % 2 === 0 ? '' : '&_HLS_skip=YES'}`;
}
