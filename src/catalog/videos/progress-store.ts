import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import type { MediaState } from '../schema.ts';
import { RUNGS } from './view-columns-store.ts';

/** Maximum number of videos per response. */
const ROWS_AT_ONCE = 500;

/** Progress of a video: state with a human-readable reason, percentage, offered rungs, revision. */
export type VideoProgress = {
  libraryId: number;
  id: Guid;
  state: MediaState;
  stateReason: string | null;
  wasPlanned: boolean;
  encodeProgress: number;
  revision: number;
  rungs: number[];
};

/** Reads the progress of videos. */
export type ProgressStore = {
  /** Returns the progress of the given videos that exist, at most 500. */
  load(libraryId: number, ids: readonly Guid[]): Promise<VideoProgress[]>;
  /** Returns videos of a library in progress, and those whose state changed since a time; at most 500, newest first. */
  loadActive(libraryId: number, since: Date | null): Promise<VideoProgress[]>;
};

export function createProgressStore(db: Db): ProgressStore {
  return {
    load: (libraryId, ids) =>
      select(db, libraryId)
        .where('media.id', 'in', [...ids])
        .execute(),
    loadActive: (libraryId, since) =>
      select(db, libraryId)
        .where(({ or, eb }) =>
          or([
            eb('media.state', 'in', ['uploaded', 'processing', 'transcoding', 'jit-segmenting']),
            ...(since === null ? [] : [eb('media.state_since', '>=', since)]),
          ]),
        )
        .orderBy('media.created_at', 'desc')
        .execute(),
  };
}

function select(db: Db, libraryId: number) {
  return db
    .selectFrom('media')
    .select(['library_id as libraryId', 'media.id', 'media.state', 'state_reason as stateReason', 'revision'])
    .select(['encode_progress as encodeProgress', RUNGS])
    .select(sql<boolean>`facts is not null`.as('wasPlanned'))
    .where('media.library_id', '=', libraryId)
    .where('media.type', '=', 'video')
    .limit(ROWS_AT_ONCE);
}
