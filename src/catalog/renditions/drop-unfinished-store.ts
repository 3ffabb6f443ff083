import type { MediaKey, Tx } from '../db.ts';

/**
 * Deletes sets and added codecs that never became active, with all encode tasks; their objects become orphans and are
 * swept. Further periods of a recording are not active either, but are kept.
 */
export async function dropUnfinishedSets(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await tx.deleteFrom('encode_task').where('library_id', '=', libraryId).where('media_id', '=', mediaId).execute();
  await tx
    .deleteFrom('rendition')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('active', '=', false)
    .where('retired_at', 'is', null)
    .where('timeline_id', 'not in', (eb) =>
      eb.selectFrom('live_period').select('timeline_id').where('media_id', '=', mediaId),
    )
    .execute();
  await tx
    .deleteFrom('timeline')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('active', '=', false)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('rendition')
            .select('rendition.id')
            .whereRef('rendition.timeline_id', '=', 'timeline.id')
            .where('rendition.retired_at', 'is not', null),
        ),
      ),
    )
    .where('id', 'not in', (eb) => eb.selectFrom('live_period').select('timeline_id').where('media_id', '=', mediaId))
    .execute();
}
