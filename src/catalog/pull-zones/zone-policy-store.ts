import { sql } from 'kysely';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import { readLibrarySettings, readPullZoneSettings } from '../libraries/library-settings.ts';
import { readViewerAccess, requiresEmbedToken, requiresFileToken } from '../libraries/viewer-access.ts';
import type { QuotaResource } from '../quotas/quota.ts';
import { type PullZoneName, parsePullZoneName } from './pull-zone-name.ts';
import type { ZonePolicy, ZoneQuota } from './zone-policy.ts';

/** Age after which a count of viewers no longer refuses anybody, if no worker counts them. */
const VIEWERS_VALID = '5 minutes';

/** Identifies a pull zone by its name, its library, or a custom host name (in lower case). */
export type ZoneRef =
  | { by: 'name'; name: PullZoneName }
  | { by: 'library'; libraryId: number }
  | { by: 'host'; hostname: string };

/** Loads the policy of a pull zone. Returns null if there is none. */
export async function loadZonePolicy(
  { db, secretBox }: { db: Db; secretBox: SecretBox },
  ref: ZoneRef,
): Promise<ZonePolicy | null> {
  const row = await selectPolicies(db)
    .$if(ref.by === 'name', (query) => query.where('pull_zone.name', '=', ref.by === 'name' ? ref.name : ''))
    .$if(ref.by === 'library', (query) => query.where('library.id', '=', ref.by === 'library' ? ref.libraryId : 0))
    .$if(ref.by === 'host', (query) =>
      query.where('pull_zone.id', 'in', (nested) =>
        nested
          .selectFrom('pull_zone_hostname')
          .select('pull_zone_id')
          .where('hostname', '=', ref.by === 'host' ? ref.hostname : ''),
      ),
    )
    .executeTakeFirst();
  return row === undefined ? null : toPolicy(row, secretBox);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectPolicies>['executeTakeFirstOrThrow']>>;

function selectPolicies(db: Db) {
  return db
    .selectFrom('pull_zone')
    .innerJoin('library', 'library.id', 'pull_zone.library_id')
    .where('library.deleted_at', 'is', null)
    .select(['pull_zone.id', 'pull_zone.name', 'pull_zone.library_id', 'pull_zone.revision', 'pull_zone.settings'])
    .select([
      'security_key_sealed',
      'previous_key_sealed',
      'previous_key_until',
      'api_key_sealed',
      'viewer_secret_sealed',
    ])
    .select('library.settings as library_settings')
    .select(hardQuotas.as('quotas'))
    .select(
      sql<
        string[]
      >`array(select hostname from pull_zone_hostname where pull_zone_id = pull_zone.id order by hostname)`.as(
        'hostnames',
      ),
    );
}

/** Hard quotas that concern viewers, and whether each is reached by a measurement that is still valid. */
const hardQuotas = sql<{ resource: QuotaResource; isReached: boolean }[]>`
  coalesce((select jsonb_agg(jsonb_build_object('resource', q.resource, 'isReached', q.used >= q.max_amount
      and q.measured_at >= case q.resource when 'concurrentViewers' then now() - ${VIEWERS_VALID}::interval
        else date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' end))
    from library_quota q where q.library_id = library.id and q.mode = 'hard'
      and q.resource in ('concurrentViewers', 'bandwidthBytesPerMonth')), '[]')`;

function toQuota(quotas: Row['quotas']): ZoneQuota {
  const isReached = (name: QuotaResource) => quotas.some((quota) => quota.resource === name && quota.isReached);
  const limitsViewers = quotas.some(({ resource }) => resource === 'concurrentViewers');
  if (isReached('bandwidthBytesPerMonth')) return { limitsViewers, reached: 'bandwidth' };
  return { limitsViewers, reached: isReached('concurrentViewers') ? 'viewers' : null };
}

function toPolicy(row: Row, secretBox: SecretBox): ZonePolicy {
  const name = parsePullZoneName(row.name);
  if (name === null) throw new Error(`Expected the name of a pull zone, got a stored "${row.name}".`);
  const library = readLibrarySettings(row.library_settings);
  const { access, player } = library;
  const viewers = readViewerAccess(library, openOrNull(row.viewer_secret_sealed, secretBox));
  const zoneSettings = readPullZoneSettings(row.settings);
  const { previous_key_sealed: previous, previous_key_until: until } = row;
  return {
    id: row.id,
    name,
    libraryId: row.library_id,
    revision: row.revision,
    hostnames: row.hostnames,
    settings: { ...zoneSettings, tokenRequired: requiresFileToken(library, zoneSettings) },
    referrers: access,
    embedTokenRequired: requiresEmbedToken(library),
    uiLanguage: player.uiLanguage,
    quota: toQuota(row.quotas),
    keys: {
      current: secretBox.open(row.security_key_sealed),
      previous:
        previous === null || until === null ? null : { key: secretBox.open(previous), untilMs: until.getTime() },
      library: secretBox.open(row.api_key_sealed),
    },
    viewers,
  };
}

function openOrNull(sealed: Buffer | null, secretBox: SecretBox): string | null {
  return sealed === null ? null : secretBox.open(sealed);
}
