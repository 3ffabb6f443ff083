import { sql } from 'kysely';
import { startStream } from '../../../src/catalog/live/live-stream.ts';
import { LIVE_SETTINGS, type LivePlace, readText, until } from '../../../test/live/live-service.ts';
import type { CpuGroup } from '../cpu-group.ts';
import type { Scope } from '../scope.ts';
import type { NginxRtmp } from './nginx-rtmp.ts';

/** The compared services, each in a group that counts all of its processes, and the published clip. */
export type BenchPlace = LivePlace & {
  scope: Scope;
  groups: { ours: CpuGroup; baseline: CpuGroup };
  nginx: NginxRtmp;
  clip: string;
};

/** A stream. `ingest` is its publishing URL, `base` the base URL of its playlists. */
export type BenchStream = { id: string; base: string; ingest: string; remove(): Promise<void> };

/** Creates a stream and starts it. Once removed, it accepts no publisher, and there is no recording to continue. */
export async function goLive({ catalogue, service }: LivePlace): Promise<BenchStream> {
  const { stream, streamKey } = await catalogue.streams.create({ ...LIVE_SETTINGS, libraryId: 1 });
  const key = { libraryId: 1, mediaId: stream.id };
  await catalogue.streams.change(key, startStream);
  const { listeners } = await service.health();
  return {
    id: stream.id,
    ingest: `rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`,
    base: `${service.edgeUrl}/vz-1/${stream.id}`,
    async remove() {
      await catalogue.streams.remove(key);
    },
  };
}

/** Returns the URLs of the media playlists of a stream. */
export async function mediaPlaylists(base: string): Promise<string[]> {
  const text = (await readText(`${base}/playlist.m3u8`)) ?? '';
  // Excludes I-frame playlists, which players read for their seek bar.
  return [...text.matchAll(/^(?:#EXT-X-MEDIA:.*URI=")?(r\/[^"\n]*\.m3u8)/gm)].map(
    ([, address]) => `${base}/${address}`,
  );
}

/** Resolves when a stream has a complete segment of video and audio. */
export async function untilFlowing({ base }: BenchStream): Promise<void> {
  const isWhole = async () => {
    const texts = await Promise.all((await mediaPlaylists(base)).map(readText));
    return texts.length > 0 && texts.every((text) => text?.includes('#EXTINF')) ? true : null;
  };
  await until(isWhole, 'segments');
}

/** Returns the number of video segments stored so far, by stream. */
export async function countStored({ catalogue }: LivePlace, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; segments: number }>`
    select r.media_id as id, max(c.first_segment + c.segment_count)::int as segments
    from rendition r join chunk c on c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
    where r.media_id = any(${ids}) and r.kind = 'video' group by r.media_id`.execute(catalogue.database.db);
  return new Map(rows.map(({ id, segments }) => [id, segments]));
}
