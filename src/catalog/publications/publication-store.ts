import { isDeepStrictEqual } from 'node:util';
import { type Selectable, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import { readPlannedSegments, readSegmentTable, segmentCount } from '../../media/presentation/published-rendition.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { selectPackages } from '../drm/drm-package-store.ts';
import { loadLiveHead, loadStitchedHead } from '../live/live-media-store.ts';
import type { TimelineTable } from '../schema.ts';
import { readDeliverySettings } from './delivery-settings.ts';
import type { Publication, StoredChunk, StoredRendition } from './publication.ts';

/** Retired renditions stay readable this long: open players still hold their playlists. */
const RETIRED_GRACE_HOURS = 24;

/** Reads publications for the edge. */
export type PublicationStore = {
  /**
   * Loads what viewers may see of a media, null when there is none. Given the publication that is already
   * known, it reads the chunks that came since and nothing when nothing changed.
   */
  load(key: MediaKey, known: Publication | null): Promise<Publication | null>;
};

type Head = Omit<Publication, 'renditions' | 'packages'>;
type KnownRenditions = ReadonlyMap<Guid, StoredRendition>;
type LightRow = Awaited<ReturnType<typeof selectRenditions>>[number];
type HeavyParts = Pick<StoredRendition, 'init' | 'planned' | 'videoRange'>;

export function createPublicationStore(db: Db): PublicationStore {
  return {
    async load(key, known) {
      if (known !== null) {
        const head = await selectHead(db, key);
        if (head === null) return null;
        if (head.publication === known.publication) {
          const { renditions, packages, ...before } = known;
          // What is kept beside a publication holds for as long as it is the same object.
          return isDeepStrictEqual(head, before) ? known : { ...head, renditions, packages };
        }
      }
      // One snapshot: a set of renditions and its chunks change together.
      const reading = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
      return reading.execute(async (tx) => {
        const head = await selectHead(tx, key);
        if (head === null) return null;
        const packages = await selectPackages(tx, key);
        return { ...head, renditions: await loadRenditions(tx, key, known), packages };
      });
    },
  };
}

async function loadRenditions(tx: Tx, key: MediaKey, known: Publication | null): Promise<StoredRendition[]> {
  const before: KnownRenditions = new Map(known?.renditions.map((rendition) => [rendition.id, rendition]));
  const rows = await selectRenditions(tx, key);
  const cutLists = await selectCutLists(tx, key);
  const heavy = await selectHeavyParts(
    tx,
    key,
    rows.filter((row) => needsHeavyParts(before.get(row.id))),
  );
  const since = known?.publication ?? -1;
  const fresh = await selectChunks(
    tx,
    key,
    rows.filter((row) => before.has(row.id)),
    since,
  );
  const whole = await selectChunks(
    tx,
    key,
    rows.filter((row) => !before.has(row.id)),
    -1,
  );
  const renditions: StoredRendition[] = [];
  for (const row of rows) {
    const old = before.get(row.id);
    let chunks = old === undefined ? (whole.get(row.id) ?? []) : replaceChunks(old.chunks, fresh.get(row.id) ?? []);
    // Rows that only went away leave no trace in `publication`: the count says, and all are read again.
    if (chunks.length !== row.chunk_count) chunks = (await selectChunks(tx, key, [row], -1)).get(row.id) ?? [];
    const parts = heavy.get(row.id) ?? {
      init: old?.init ?? null,
      planned: old?.planned ?? null,
      ...(old?.videoRange === undefined ? {} : { videoRange: old.videoRange }),
    };
    renditions.push({ ...toRendition(row, cutListOf(cutLists, row)), ...parts, chunks });
  }
  return renditions;
}

function needsHeavyParts(old: StoredRendition | undefined): boolean {
  return old === undefined || old.init === null;
}

/** New chunks take the place of the known ones that they overlap (a merge of small chunks into one). */
function replaceChunks(known: readonly StoredChunk[], fresh: readonly StoredChunk[]): readonly StoredChunk[] {
  if (fresh.length === 0) return known;
  const end = (chunk: StoredChunk) => chunk.firstSegment + segmentCount(chunk.table);
  const overlaps = (a: StoredChunk, b: StoredChunk) => a.firstSegment < end(b) && b.firstSegment < end(a);
  const kept = known.filter((chunk) => !fresh.some((newer) => overlaps(chunk, newer)));
  return [...kept, ...fresh].sort((a, b) => a.firstSegment - b.firstSegment);
}

async function selectHead(db: Db | Tx, { libraryId, mediaId }: MediaKey): Promise<Head | null> {
  const row = await db
    .selectFrom('media')
    .innerJoin('library', 'library.id', 'media.library_id')
    .leftJoin('pull_zone', 'pull_zone.library_id', 'media.library_id')
    .select(['publication', 'title', 'description', 'state', 'state_reason', 'encode_progress', 'duration_ms'])
    .select(['width_px', 'height_px', 'frame_rate', 'thumbnail_key', 'thumbnail_file_name', 'source_key', 'facts'])
    .select(['pictures', 'captions', 'chapters', 'thumbnail_blurhash', 'meta_tags'])
    .select(['library.settings', 'pull_zone.name as pull_zone_name', 'media.type'])
    .where('media.library_id', '=', libraryId)
    .where('media.id', '=', mediaId)
    .where('media.type', '<>', 'trash')
    .where('library.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const live =
    row.type === 'live'
      ? await loadLiveHead(db, mediaId)
      : row.source_key === null
        ? await loadStitchedHead(db, { libraryId, mediaId })
        : null;
  return {
    ...(live === null ? {} : { live }),
    libraryId,
    mediaId,
    publication: row.publication,
    pullZoneName: row.pull_zone_name ?? '',
    settings: readDeliverySettings(row.settings),
    title: row.title,
    description: row.description,
    state: row.state,
    stateReason: row.state_reason,
    encodeProgressPercent: row.encode_progress,
    durationMs: row.duration_ms,
    widthPx: row.width_px,
    heightPx: row.height_px,
    frameRate: row.frame_rate,
    thumbnailKey: row.thumbnail_key,
    thumbnailFileName: row.thumbnail_file_name,
    thumbnailBlurhash: row.thumbnail_blurhash,
    pictures: row.pictures,
    sourceKey: row.source_key,
    sourceContainer: row.facts?.container ?? null,
    captions: row.captions,
    chapters: row.chapters,
    metaTags: row.meta_tags,
  };
}

function selectRenditions(tx: Tx, { libraryId, mediaId }: MediaKey) {
  return tx
    .selectFrom('rendition')
    .select(['id', 'timeline_id', 'kind', 'state', 'active', 'codec_string', 'rung', 'width_px', 'height_px'])
    .select(['language', 'name', 'is_default', 'timescale', 'on_demand', 'key_group', 'iv_prefix'])
    .select((eb) =>
      eb
        .selectFrom('chunk')
        .select((count) => count.fn.countAll<number>().as('n'))
        .whereRef('chunk.library_id', '=', 'rendition.library_id')
        .whereRef('chunk.media_id', '=', 'rendition.media_id')
        .whereRef('chunk.rendition_id', '=', 'rendition.id')
        .as('chunk_count'),
    )
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where((eb) =>
      eb.or([
        eb('active', '=', true),
        eb('retired_at', '>', sql<Date>`now() - make_interval(hours => ${RETIRED_GRACE_HOURS})`),
      ]),
    )
    .orderBy('id')
    .execute();
}

async function selectHeavyParts(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  wanted: readonly LightRow[],
): Promise<Map<Guid, HeavyParts>> {
  if (wanted.length === 0) return new Map();
  const rows = await tx
    .selectFrom('rendition')
    .select(['id', 'init', 'planned_segments'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where(
      'id',
      'in',
      wanted.map((row) => row.id),
    )
    .execute();
  return new Map(
    rows.map(({ id, init, planned_segments }) => [
      id,
      {
        init,
        planned: planned_segments === null ? null : readPlannedSegments(planned_segments),
        ...rangeOf(init),
      },
    ]),
  );
}

/** How the pictures become light stands in their init segment. */
function rangeOf(init: Buffer | null): Pick<StoredRendition, 'videoRange'> {
  const videoRange = init === null ? null : readInitSegment(init).videoRange;
  return videoRange === null ? {} : { videoRange };
}

async function selectChunks(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  renditions: readonly LightRow[],
  since: number,
): Promise<Map<Guid, StoredChunk[]>> {
  const found = new Map<Guid, StoredChunk[]>();
  if (renditions.length === 0) return found;
  const rows = await tx
    .selectFrom('chunk')
    .select(['rendition_id', 'first_segment', 'segment_count', 'start_tick', 'duration_ticks'])
    .select(['storage_key', 'fragment_table'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where(
      'rendition_id',
      'in',
      renditions.map((row) => row.id),
    )
    .where('publication', '>', since)
    .orderBy('rendition_id')
    .orderBy('first_segment')
    .execute();
  for (const row of rows) {
    const chunks = found.get(row.rendition_id) ?? [];
    chunks.push({
      firstSegment: row.first_segment,
      startTick: row.start_tick,
      durationTicks: row.duration_ticks,
      table: readSegmentTable(row.fragment_table, row.segment_count),
      storageKey: row.storage_key,
    });
    found.set(row.rendition_id, chunks);
  }
  return found;
}

async function selectCutLists(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<Map<Guid, CutList>> {
  const rows = await tx
    .selectFrom('timeline')
    .selectAll()
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  return new Map(rows.map((row) => [row.id, toCutList(row)]));
}

function toCutList(row: Selectable<TimelineTable>): CutList {
  const { timescale, start_ticks: startTicks, end_ticks: endTicks } = row;
  if (row.grid === 'source') return { timescale, startTicks, endTicks, grid: { kind: 'source' } };
  if (row.rate_num === null || row.rate_den === null || row.segment_frames === null || row.total_frames === null) {
    throw new Error(`Expected timeline ${row.id} on a frame grid to know its rate and frames.`);
  }
  const rate = { num: row.rate_num, den: row.rate_den };
  const grid = { kind: 'frames', rate, segmentFrames: row.segment_frames, totalFrames: row.total_frames } as const;
  return { timescale, startTicks, endTicks, grid };
}

function cutListOf(cutLists: ReadonlyMap<Guid, CutList>, row: LightRow): CutList {
  const cutList = cutLists.get(row.timeline_id);
  if (cutList === undefined) throw new Error(`Expected rendition ${row.id} to have its timeline ${row.timeline_id}.`);
  return cutList;
}

function toRendition(row: LightRow, cutList: CutList): Omit<StoredRendition, 'init' | 'planned' | 'chunks'> {
  return {
    id: row.id,
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
    cutList,
  };
}
