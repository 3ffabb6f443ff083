import { type Selectable, type SqlBool, sql } from 'kysely';
import type { AudioForm } from '../../media/cmaf/audio-grid.ts';
import { readSegmentTable } from '../../media/presentation/published-rendition.ts';
import type { AudioRole } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import { RETIRED_GRACE_HOURS } from '../retired-object-store.ts';
import type { ChunkTable, RenditionTable } from '../schema.ts';
import type { StoredChunk, StoredRendition } from './publication.ts';

/** Columns of a rendition, as table `r`, that are read with each change. */
export const RENDITION_COLUMNS = [
  ...(['r.id', 'r.timeline_id', 'r.kind', 'r.state', 'r.active', 'r.codec_string', 'r.rung', 'r.width_px'] as const),
  ...(['r.height_px', 'r.language', 'r.name', 'r.is_default', 'r.timescale', 'r.on_demand', 'r.key_group'] as const),
  ...(['r.iv_prefix'] as const),
  sql<AudioRole | null>`r.plan->>'role'`.as('role'),
  sql<AudioForm | null>`r.plan->>'form'`.as('form'),
  sql<boolean>`(r.plan ? 'joined' and r.retired_at is null)`.as('is_joined'),
] as const;

/** Condition for served renditions, as table `r`. */
export const IS_SERVED = sql<SqlBool>`
  (r.active or r.retired_at > now() - make_interval(hours => ${RETIRED_GRACE_HOURS})
    or r.plan ? 'joined' and r.state = 'finished' and r.retired_at is null)`;

type Column<Name> = Name extends `r.${infer Plain}` ? Plain : never;
export type LightRow = Pick<
  Selectable<RenditionTable>,
  Extract<Column<(typeof RENDITION_COLUMNS)[number]>, keyof RenditionTable>
> & { role: AudioRole | null; form: AudioForm | null; is_joined: boolean };

export type ChunkRow = Pick<
  Selectable<ChunkTable>,
  'first_segment' | 'segment_count' | 'start_tick' | 'duration_ticks' | 'storage_key' | 'fragment_table'
>;

export function toStoredChunk(row: ChunkRow): StoredChunk {
  return {
    firstSegment: row.first_segment,
    startTick: row.start_tick,
    durationTicks: row.duration_ticks,
    table: readSegmentTable(row.fragment_table, row.segment_count),
    storageKey: row.storage_key,
  };
}

export function toRendition(row: LightRow, cutList: CutList): Omit<StoredRendition, 'init' | 'planned' | 'chunks'> {
  return {
    id: row.id,
    timelineId: row.timeline_id,
    kind: row.kind,
    state: row.state,
    isActive: row.active,
    isOnDemand: row.on_demand,
    codecString: row.codec_string,
    rung: row.rung,
    widthPx: row.width_px,
    heightPx: row.height_px,
    language: row.language,
    name: row.name,
    isDefault: row.is_default,
    timescale: row.timescale,
    keyGroup: row.key_group,
    ivPrefix: row.iv_prefix,
    ...(row.role !== null && { role: row.role }),
    ...(row.form !== null && { form: row.form }),
    ...(row.is_joined && { isJoined: true as const }),
    cutList,
  };
}
