import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { DrmSystem, SchemeName } from '../../ports/drm-key-source.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { type LibrarySettings, readLibrarySettings } from '../libraries/library-settings.ts';
import { unknownVideo } from '../unknown-video.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import { type DrmPackage, readSignals, storeSignals } from './drm-package.ts';

/** Hours for which a retired package is still served, because open players use its URLs. */
const RETIRED_GRACE_HOURS = 24;

/** Returns the DRM systems that the key server supported when a video was last packaged. Empty for an unknown video. */
export async function loadDrmSystems(db: Db, key: MediaKey): Promise<DrmSystem[]> {
  const [current] = await selectPackages(db, key);
  return [...new Set(current?.signals.map(({ system }) => system))];
}

/** Facts about a video that packaging needs. */
export type Packageable = {
  settings: LibrarySettings;
  /** The package that playlists reference now. */
  current: { scheme: SchemeName; systems: readonly DrmSystem[] } | null;
  /** Video codecs of the renditions that are published or being encoded. */
  videoCodecs: readonly string[];
};

/** Loads the facts that packaging needs. Throws `Refused` (`not-found`) for an unknown video. */
export async function loadPackageable(db: Db, { libraryId, mediaId }: MediaKey): Promise<Packageable> {
  const row = await db
    .selectFrom('media')
    .innerJoin('library', 'library.id', 'media.library_id')
    .select('library.settings')
    .where('media.library_id', '=', libraryId)
    .where('media.id', '=', mediaId)
    .where('media.type', 'in', ['video', 'live'])
    .executeTakeFirst();
  if (row === undefined) throw unknownVideo({ libraryId, mediaId });
  const codecs = await db
    .selectFrom('rendition')
    .select('codec')
    .distinct()
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('kind', '=', 'video')
    .where('retired_at', 'is', null)
    .execute();
  const current = await db
    .selectFrom('drm_package')
    .select(['scheme', 'signals'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  return {
    settings: readLibrarySettings(row.settings),
    current:
      current === undefined ? null : { scheme: current.scheme, systems: current.signals.map(({ system }) => system) },
    videoCodecs: codecs.map(({ codec }) => codec),
  };
}

/** Maximum number of packages of a video whose keys are valid at the same time. */
const MAX_LIVE_PACKAGES = 10;

/**
 * A package to store. If `keepsPrevious` is false, earlier packages and retired renditions stop working immediately.
 */
export type NewPackage = Pick<DrmPackage, 'scheme' | 'keysSealed' | 'signals'> & { keepsPrevious: boolean };

/**
 * Replaces the package that playlists reference, and notifies the edges. With `isFirst`, a video that already has a
 * package is left unchanged. Throws `Refused` (`not-found`) for an unknown video, and (`busy`) for a video with ten
 * valid packages.
 */
export async function addPackage(tx: Tx, key: MediaKey, wanted: NewPackage, isFirst: boolean): Promise<void> {
  const state = await lockVideo(tx, key);
  const packages = await selectNumbers(tx, key);
  if (isFirst && packages.some(({ retired_at: retiredAt }) => retiredAt === null)) return;
  const number = Math.max(0, ...packages.map((one) => one.number)) + 1;
  if (wanted.keepsPrevious && packages.length >= MAX_LIVE_PACKAGES) throw tooMany(key);
  if (wanted.keepsPrevious) await retirePackages(tx, key);
  else await endPrevious(tx, key);
  await tx
    .insertInto('drm_package')
    .values({
      library_id: key.libraryId,
      media_id: key.mediaId,
      number,
      scheme: wanted.scheme,
      keys_sealed: wanted.keysSealed,
      signals: JSON.stringify(storeSignals(wanted.signals)),
    })
    .execute();
  await bumpPublication(tx, key);
  if (state === 'finished') await announce(key, WebhookStatus.finished)(tx);
}

/** Announces that a finished video is packaged although nothing changed, for clients that wait for this. */
export async function announcePackaged(tx: Tx, key: MediaKey): Promise<void> {
  if ((await lockVideo(tx, key)) === 'finished') await announce(key, WebhookStatus.finished)(tx);
}

/** Selects the package that playlists reference, then those retired less than a day ago. */
export async function selectPackages(db: Db | Tx, { libraryId, mediaId }: MediaKey): Promise<DrmPackage[]> {
  const rows = await db
    .selectFrom('drm_package')
    .select(['number', 'scheme', 'keys_sealed', 'signals', 'retired_at'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where((eb) => eb.or([eb('retired_at', 'is', null), eb('retired_at', '>', graceBegan())]))
    .orderBy('number', 'desc')
    .execute();
  return rows.map((row) => ({
    number: row.number,
    scheme: row.scheme,
    keysSealed: row.keys_sealed,
    signals: readSignals(row.signals),
    retiredAt: row.retired_at,
  }));
}

/**
 * Deletes the keys of packages whose grace period is over. Keeps the latest package of each video, because its number
 * must not be reused.
 */
export async function forgetRetiredPackages(db: Db): Promise<void> {
  await sql`
    delete from drm_package p where retired_at < now() - make_interval(hours => ${RETIRED_GRACE_HOURS})
      and exists (select 1 from drm_package newer where newer.library_id = p.library_id
        and newer.media_id = p.media_id and newer.number > p.number)
  `.execute(db);
}

async function lockVideo(tx: Tx, key: MediaKey): Promise<string> {
  const row = await tx
    .selectFrom('media')
    .select('state')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', 'in', ['video', 'live'])
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw unknownVideo(key);
  return row.state;
}

function selectNumbers(tx: Tx, { libraryId, mediaId }: MediaKey) {
  return tx
    .selectFrom('drm_package')
    .select(['number', 'retired_at'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
}

async function retirePackages(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await tx
    .updateTable('drm_package')
    .set({ retired_at: sql<Date>`now()` })
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('retired_at', 'is', null)
    .execute();
}

/** Ends the previous packages of a video. The sweep deletes the objects of retired renditions within a minute. */
async function endPrevious(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await tx.deleteFrom('drm_package').where('library_id', '=', libraryId).where('media_id', '=', mediaId).execute();
  await tx
    .updateTable('rendition')
    .set({ retired_at: graceBegan() })
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('retired_at', 'is not', null)
    .execute();
}

function graceBegan() {
  return sql<Date>`now() - make_interval(hours => ${RETIRED_GRACE_HOURS}, secs => 1)`;
}

function tooMany({ mediaId }: MediaKey): Refused {
  return new Refused(
    'busy',
    `Video ${mediaId} was packaged ${MAX_LIVE_PACKAGES} times within a day. Wait, or package without keeping the ` +
      'previous packages.',
  );
}
