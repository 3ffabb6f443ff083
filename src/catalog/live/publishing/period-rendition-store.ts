import { createHash } from 'node:crypto';
import type { Guid } from '../../../lib/guid.ts';
import type { KeyGroup } from '../../../ports/drm-key-source.ts';
import type { Db, MediaKey, Tx } from '../../db.ts';
import { markMergeable } from '../../lifecycle/chunk-store.ts';

/** A rendition of a period. */
export type PeriodRendition = {
  id: Guid;
  kind: 'video' | 'audio';
  /** `pass-through`: the media as received from the publisher. */
  origin: 'pass-through' | 'encode';
  /** Null for audio. */
  rung: number | null;
  codec: string;
  codecString: string;
  timescale: number;
  init: Buffer;
  widthPx: number | null;
  heightPx: number | null;
  keyGroup: KeyGroup;
  /** Prefix of the IVs of its samples, unique to this rendition. */
  ivPrefix: number;
};

/** A rendition that has no row yet. */
export type NewRendition = Omit<PeriodRendition, 'ivPrefix'>;

/** Returns a name for the same kind of rendition in different periods: audio, pass-through video, or a rung. */
export function slotOf({ kind, origin, rung }: Pick<PeriodRendition, 'kind' | 'origin' | 'rung'>): string {
  if (kind === 'audio') return 'audio';
  return origin === 'encode' ? `${rung}p` : 'source';
}

/** Inserts a rendition without media, and queues a later merge of its small chunks. */
export async function insertRendition(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  timelineId: Guid,
  rendition: NewRendition,
): Promise<PeriodRendition> {
  const row = await tx
    .insertInto('rendition')
    .values({
      library_id: libraryId,
      media_id: mediaId,
      id: rendition.id,
      timeline_id: timelineId,
      kind: rendition.kind,
      origin: rendition.origin,
      codec: rendition.codec,
      rung: rendition.rung,
      key_group: rendition.keyGroup,
      state: 'building',
      plan: JSON.stringify({ durationSec: 0 }),
      timescale: rendition.timescale,
      width_px: rendition.widthPx,
      height_px: rendition.heightPx,
      codec_string: rendition.codecString,
      init: rendition.init,
      init_sha256: createHash('sha256').update(rendition.init).digest(),
    })
    .returning('iv_prefix')
    .executeTakeFirstOrThrow();
  await markMergeable(tx, { libraryId, mediaId }, rendition.id);
  return { ...rendition, ivPrefix: row.iv_prefix };
}

/** Selects the renditions of a timeline. */
export async function selectRenditions(
  db: Db,
  { libraryId, mediaId }: MediaKey,
  timelineId: Guid,
): Promise<PeriodRendition[]> {
  const rows = await db
    .selectFrom('rendition')
    .select(['id', 'kind', 'origin', 'rung', 'codec', 'codec_string', 'timescale', 'init', 'width_px', 'height_px'])
    .select(['key_group', 'iv_prefix'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('timeline_id', '=', timelineId)
    .orderBy('kind')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    origin: row.origin,
    rung: row.rung,
    codec: row.codec,
    codecString: row.codec_string ?? '',
    timescale: row.timescale,
    init: row.init ?? Buffer.alloc(0),
    widthPx: row.width_px,
    heightPx: row.height_px,
    keyGroup: row.key_group,
    ivPrefix: row.iv_prefix,
  }));
}

/** Finds the renditions of a stream's periods, by id. */
export async function findPeriodRenditions(
  db: Db,
  { libraryId, mediaId }: MediaKey,
): Promise<Map<Guid, Pick<PeriodRendition, 'kind' | 'origin' | 'timescale'>>> {
  const rows = await db
    .selectFrom('rendition')
    .select(['id', 'kind', 'origin', 'timescale'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  return new Map(rows.map(({ id, ...rendition }) => [id, rendition]));
}
