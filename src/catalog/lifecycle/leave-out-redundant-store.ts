import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { findRedundantRungs } from '../../media/encode/redundant-rungs.ts';
import type { Tx } from '../db.ts';
import type { EncodeTask } from '../tasks/encode-task.ts';
import { addMessages } from './finalize-store.ts';
import { leftOutMessage } from './messages.ts';

type FirstRate = { id: Guid; codec: string; rung: number; isOld: boolean; bps: number | null };

/**
 * Retires rungs that would add nothing, once the first chunks of a ladder show their bitrates. Encode tasks no longer
 * create them. Applies only if the library fits ladders to each title and the upload did not choose its rungs, and
 * never to on-demand encoding, whose rungs are already listed. A ladder is kept in full if one of its rungs finished
 * earlier, because the encode tasks of that rung are deleted. Call it in the transaction that published a first chunk.
 */
export async function leaveOutRedundant(tx: Tx, task: EncodeTask): Promise<void> {
  const { key, timelineId } = task;
  const { libraryId, mediaId } = key;
  const { rows } = await sql<FirstRate>`
    select r.id, r.codec, r.rung, r.state = 'finished' and not exists (select from encode_task w
        where w.library_id = r.library_id and w.media_id = r.media_id and r.id = any(w.rendition_ids)) as "isOld", case
        when r.origin = 'pass-through' then 8 * m.source_bytes / greatest(0.001, (r.plan->>'durationSec')::float8)
        else (select 8.0::float8 * c.size_bytes * r.timescale / c.duration_ticks from chunk c
          where c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
            and c.first_segment = 0)
      end as bps
    from rendition r join media m on m.library_id = r.library_id and m.id = r.media_id
    join library l on l.id = m.library_id
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.timeline_id = ${timelineId}
      and r.kind = 'video' and r.rung is not null and r.state <> 'failed' and r.retired_at is null and not r.on_demand
      and (l.settings->'encoding'->>'perTitle')::boolean and m.upload_options->'enabledRungs' is null
  `.execute(tx);
  const made = rows.filter(({ id }) => task.renditionIds.includes(id));
  for (const codec of new Set(made.map((row) => row.codec))) {
    const ladder = rows.filter((row) => row.codec === codec);
    if (ladder.some(({ isOld }) => isOld)) continue;
    const rates = ladder.flatMap(({ rung, bps }) => (bps === null ? [] : [{ rung, bps }]));
    // Bitrates can only be compared once all rungs have their first chunk.
    if (rates.length < ladder.length) continue;
    const rungs = findRedundantRungs(rates);
    for (const { id } of ladder.filter(({ rung }) => rungs.includes(rung))) await leaveOut(tx, task, id);
    await addMessages(
      tx,
      key,
      rungs.map((rung) => leftOutMessage(`${rung}p`, new Date())),
    );
  }
}

async function leaveOut(tx: Tx, { id, key: { libraryId, mediaId } }: EncodeTask, renditionId: Guid): Promise<void> {
  // A running encode task notices this when it commits, because output of a failed rendition is not accepted.
  await sql`
    update rendition set state = 'failed', state_reason = 'left out', active = false, retired_at = now()
    where library_id = ${libraryId} and media_id = ${mediaId} and id = ${renditionId}
  `.execute(tx);
  // Skips the encode task that led to this decision. It ends normally.
  await sql`
    update encode_task set rendition_ids = array_remove(rendition_ids, ${renditionId}::uuid)
    where library_id = ${libraryId} and media_id = ${mediaId} and kind = 'video' and state in ('waiting', 'running')
      and id <> ${id}
  `.execute(tx);
  await sql`
    delete from encode_task where library_id = ${libraryId} and media_id = ${mediaId} and kind = 'video'
      and rendition_ids = '{}' and id <> ${id}
  `.execute(tx);
}
