import { sql } from 'kysely';
import type { MediaKey, Tx } from '../db.ts';
import { enterState } from '../media-state-store.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';

/** What a video states of itself that is encoded on demand. */
export const READY_REASON = 'every segment is encoded when it is asked for; the rest follows in the background';

/**
 * A video that is encoded on demand is ready once each of its pictures is known well enough to be listed, and so is the
 * audio that plays by default, or it has begun: from then on every segment can be had. Others, and what is not so far,
 * stay as they are.
 */
export async function readyOnDemand(tx: Tx, key: MediaKey): Promise<void> {
  const isReady = sql<boolean>`state = 'jit-segmenting'
      and not exists (select from rendition r where r.library_id = media.library_id and r.media_id = media.id
        and r.active
        and r.state = 'building' and r.on_demand and r.init is null and (r.kind = 'video' or r.is_default))
      and (select coalesce(bool_and(starts), false) from (
        select bool_or((r.on_demand and r.init is not null) or exists (select from chunk c
          where c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
            and c.first_segment = 0)) as starts
        from rendition r where r.library_id = media.library_id and r.media_id = media.id and r.active
          and r.state <> 'failed'
        group by r.kind) kinds)`;
  if (await enterState(tx, key, 'jit-ready', { reason: READY_REASON, where: isReady }))
    await announce(key, WebhookStatus.resolutionFinished)(tx);
}
