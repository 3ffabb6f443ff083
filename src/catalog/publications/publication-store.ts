import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import { readPlannedSegments } from '../../media/presentation/published-rendition.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { selectPackages } from '../drm/drm-package-store.ts';
import { loadLiveHead, loadRecordingHead, type RecordingHead } from '../live/viewing/live-media-store.ts';
import type { TimelineTable } from '../schema.ts';
import { readDeliverySettings } from './delivery-settings.ts';
import type { Publication, StoredChunk, StoredRendition } from './publication.ts';
import { addChunks, loadGrown } from './publication-growth-store.ts';
import { IS_SERVED, type LightRow, RENDITION_COLUMNS, toRendition, toStoredChunk } from './publication-row-store.ts';

/** Reads publications for the edge. */
export type PublicationStore = {
  /**
   * Loads the parts of a video or live stream that viewers may see, or null if there are none. Pass the last known
   * publication to read only newer chunks. Returns it unchanged if nothing changed.
   */
  load(key: MediaKey, known: Publication | null): Promise<Publication | null>;
};

type Head = Omit<Publication, 'renditions' | 'packages'>;
type KnownRenditions = ReadonlyMap<Guid, StoredRendition>;
type HeavyParts = Pick<StoredRendition, 'init' | 'planned' | 'videoRange' | 'channels'>;

export function createPublicationStore(db: Db): PublicationStore {
  return {
    async load(key, known) {
      const before = known === null || isLive(known) ? null : known;
      if (known !== null) {
        const head = await selectHead(db, key);
        if (head === null) return null;
        if (head.revision === known.revision) {
          const { renditions, packages, ...rest } = known;
          // Data derived from a publication is valid as long as the object is the same.
          return isDeepStrictEqual(head, rest) ? known : { ...head, renditions, packages };
        }
        const [grown, packages] =
          before === null
            ? [null, []]
            : await Promise.all([
                loadGrown(db, { key, revision: head.revision, known: before }),
                selectPackages(db, key),
              ]);
        if (grown !== null) return { ...head, renditions: grown, packages };
      }
      // Uses one snapshot, because a set of renditions and its chunks change together.
      const reading = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
      return reading.execute(async (tx) => {
        const head = await selectHead(tx, key);
        if (head === null) return null;
        const packages = await selectPackages(tx, key);
        return { ...head, renditions: await loadRenditions(tx, key, before), packages };
      });
    },
  };
}

/**
 * Chunks of a live stream are added without a new publication, so the known publication does not show which are new.
 */
function isLive({ live }: Publication): boolean {
  return live !== undefined && live.state !== 'ended';
}

async function loadRenditions(tx: Tx, key: MediaKey, known: Publication | null): Promise<StoredRendition[]> {
  const before: KnownRenditions = new Map(known?.renditions.map((rendition) => [rendition.id, rendition]));
  const rows = await selectRenditions(tx, key);
  const cutLists = await selectCutLists(tx, key);
  const isNew = (row: LightRow) => !before.has(row.id);
  const heavy = await selectHeavyParts(
    tx,
    key,
    rows.filter((row) => needsHeavyParts(before.get(row.id))),
  );
  const fresh = await selectChunks(
    tx,
    key,
    rows.filter((row) => !isNew(row)),
    known?.revision ?? -1,
  );
  const whole = await selectChunks(tx, key, rows.filter(isNew), -1);
  return rows.map((row) => {
    const old = before.get(row.id);
    const chunks = old === undefined ? (whole.get(row.id) ?? []) : addChunks(old.chunks, fresh.get(row.id) ?? []);
    const parts = heavy.get(row.id) ?? {
      init: old?.init ?? null,
      planned: old?.planned ?? null,
      ...(old?.videoRange === undefined ? {} : { videoRange: old.videoRange }),
      ...(old?.channels === undefined ? {} : { channels: old.channels }),
    };
    const cutList = cutListOf(cutLists, row);
    return { ...toRendition(row, cutList), ...parts, chunks: withinCuts(chunks, row, cutList) };
  });
}

/**
 * Returns the chunks of a recording that its cut list covers. If a recording was sealed while its owner had no
 * database, the owner first stores the rest of its media and then extends the timeline. Until then, the timeline does
 * not include these frames.
 */
function withinCuts(chunks: readonly StoredChunk[], { kind }: LightRow, { startTicks }: CutList) {
  const isSealed = kind === 'video' && startTicks.length > 0;
  return isSealed ? chunks.filter(({ firstSegment }) => firstSegment < startTicks.length) : chunks;
}

function needsHeavyParts(old: StoredRendition | undefined): boolean {
  return old === undefined || old.init === null;
}

async function selectHead(db: Db | Tx, { libraryId, mediaId }: MediaKey): Promise<Head | null> {
  const row = await db
    .selectFrom('media')
    .innerJoin('library', 'library.id', 'media.library_id')
    .leftJoin('pull_zone', 'pull_zone.library_id', 'media.library_id')
    .select(['media.revision', 'title', 'description', 'state', 'state_reason', 'encode_progress', 'duration_ms'])
    .select(['width_px', 'height_px', 'frame_rate', 'thumbnail_key', 'thumbnail_file_name', 'source_key', 'facts'])
    .select(['images', 'waveform', 'captions', 'chapters', 'thumbnail_blurhash', 'meta_tags'])
    .select([
      'library.settings',
      'pull_zone.name as pull_zone_name',
      'pull_zone.revision as policy_revision',
      'media.type',
      'media.collection_id',
      'media.visibility',
    ])
    .where('media.library_id', '=', libraryId)
    .where('media.id', '=', mediaId)
    .where('media.type', '<>', 'trash')
    .where('library.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const recording = await selectRecording(db, { libraryId, mediaId }, row);
  const isClosedStream = row.type === 'live' && recording.live?.isPublic === false;
  return {
    ...recording,
    libraryId,
    mediaId,
    collectionId: row.type === 'live' ? null : row.collection_id,
    visibility: isClosedStream ? 'private' : row.visibility,
    revision: row.revision,
    pullZoneName: row.pull_zone_name ?? '',
    policyRevision: row.policy_revision ?? 0,
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
    images: row.images,
    waveform: row.waveform,
    sourceKey: row.source_key,
    sourceContainer: row.facts?.container ?? null,
    captions: row.captions,
    chapters: row.chapters,
    metaTags: row.meta_tags,
  };
}

async function selectRecording(
  db: Db | Tx,
  key: MediaKey,
  { type, source_key }: { type: string; source_key: string | null },
): Promise<RecordingHead> {
  if (type === 'live') {
    const live = await loadLiveHead(db, key.mediaId);
    return live === null ? {} : { live };
  }
  return source_key === null ? loadRecordingHead(db, key) : {};
}

function selectRenditions(tx: Tx, { libraryId, mediaId }: MediaKey) {
  return tx
    .selectFrom('rendition as r')
    .select(RENDITION_COLUMNS)
    .where('r.library_id', '=', libraryId)
    .where('r.media_id', '=', mediaId)
    .where(IS_SERVED)
    .orderBy('r.id')
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
        ...describeInit(init),
      },
    ]),
  );
}

function describeInit(init: Buffer | null): Pick<StoredRendition, 'videoRange' | 'channels'> {
  if (init === null) return {};
  const { videoRange, channels } = readInitSegment(init);
  return { ...(videoRange !== null && { videoRange }), ...(channels !== null && { channels }) };
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
    .where('revision', '>', since)
    .orderBy('rendition_id')
    .orderBy('first_segment')
    .execute();
  for (const row of rows) {
    const chunks = found.get(row.rendition_id) ?? [];
    chunks.push(toStoredChunk(row));
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
    throw new Error(`Expected timeline ${row.id} with a frame grid to have a rate and frames, got null.`);
  }
  const rate = { num: row.rate_num, den: row.rate_den };
  const grid = { kind: 'frames', rate, segmentFrames: row.segment_frames, totalFrames: row.total_frames } as const;
  return { timescale, startTicks, endTicks, grid };
}

function cutListOf(cutLists: ReadonlyMap<Guid, CutList>, row: LightRow): CutList {
  const cutList = cutLists.get(row.timeline_id);
  if (cutList === undefined)
    throw new Error(`Expected timeline ${row.timeline_id} of rendition ${row.id} to exist, got none.`);
  return cutList;
}
