import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { AudioRole } from '../../media/probe/source-facts.ts';
import type { MediaKey, Tx } from '../db.ts';
import { type AddedTrack, filesOf } from '../renditions/added-track.ts';
import { loadAddedTracks, TRACK_ID } from '../renditions/added-track-store.ts';
import type { AudioTrack } from './audio-track.ts';

type TrackRow = {
  trackId: string;
  language: string;
  name: string;
  role: AudioRole | null;
  isDefault: boolean;
  isAdded: boolean;
  isOffered: boolean;
  isBuilding: boolean;
  /** True for an additional format of a track, such as a lower bitrate or 5.1. */
  isForm: boolean;
  reason: string | null;
  storageBytes: number;
};

/**
 * Lists the tracks of the active timeline, and the added tracks that have no rendition any more. The default track is
 * first.
 */
export async function loadTracks(tx: Tx, key: MediaKey): Promise<AudioTrack[]> {
  const { rows } = await sql<TrackRow>`
    select ${TRACK_ID} as "trackId", r.language, r.name, r.plan->>'role' as role, r.is_default as "isDefault",
      r.plan ? 'added' as "isAdded", r.active as "isOffered", r.state = 'building' as "isBuilding",
      r.plan ? 'form' as "isForm", r.state_reason as reason, r.storage_bytes as "storageBytes"
    from rendition r
    join timeline t on t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id and t.active
    where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId} and r.kind = 'audio' and r.retired_at is null
    order by r.active desc, (r.plan->>'streamIndex')::int, 1
  `.execute(tx);
  const stored = await loadAddedTracks(tx, key);
  const ids = new Set([
    ...rows.map(({ trackId }) => trackId),
    ...stored.flatMap((one) => filesOf([one]).map(() => one.id)),
  ]);
  const tracks = [...ids].map((id) =>
    toTrack(
      id,
      rows.filter(({ trackId }) => trackId === id),
      stored.find((one) => one.id === id),
    ),
  );
  return tracks.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

/** Finds a track by its id. Throws `Refused` (`not-found`) if there is none. */
export function findTrack(tracks: readonly AudioTrack[], id: string, { mediaId }: MediaKey): AudioTrack {
  const found = tracks.find((one) => one.id === id);
  if (found !== undefined) return found;
  const there = tracks.map((one) => one.id).join(', ') || 'none';
  throw new Refused(
    'not-found',
    `Video ${mediaId} has no audio track "${id}". It has: ${there}. Check the id in the URL.`,
  );
}

function toTrack(id: string, forms: readonly TrackRow[], entry: AddedTrack | undefined): AudioTrack {
  const rows = forms.filter(({ isForm }) => !isForm);
  const [first = forms[0]] = rows;
  const offered = rows.find(({ isOffered }) => isOffered);
  const isBuilding = rows.some((row) => row.isBuilding && !row.isOffered);
  const failed = entry?.next?.reason ?? rows.find(({ isOffered }) => !isOffered)?.reason ?? null;
  const fields = offered ?? entry ?? first;
  if (fields === undefined) throw new Error(`Expected a rendition or a file of audio track ${id}, found none.`);
  const states = offered === undefined ? (['processing', 'failed'] as const) : (['replacing', 'ready'] as const);
  return {
    id,
    language: fields.language,
    name: fields.name,
    role: fields.role ?? 'main',
    isDefault: fields.isDefault,
    origin:
      rows.some(({ isAdded }) => isAdded) || filesOf(entry === undefined ? [] : [entry]).length > 0 ? 'added' : 'file',
    state: states[isBuilding ? 0 : 1],
    message: isBuilding ? null : failed,
    storageBytes: forms.reduce((sum, row) => sum + row.storageBytes, 0),
  };
}
