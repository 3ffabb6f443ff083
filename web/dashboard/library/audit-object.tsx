import type { AccountAuditLineModel } from '../../../src/api/models/account-audit.ts';
import type { AuditLineModel } from '../../../src/api/models/audit.ts';
import { t } from '../base/language.ts';
import type { Route } from '../base/router.ts';
import { Link } from '../parts/parts.tsx';
import { NIL } from './webhook-events.ts';

type Line = Pick<AuditLineModel, keyof AuditLineModel & keyof AccountAuditLineModel>;

/** The changed object of an entry, with a link to its screen. `libraryId` is null for an object of the account. */
export function AuditObject({ line, libraryId }: { line: Line; libraryId: number | null }) {
  const target = routeOf(line, libraryId);
  return (
    <>
      {target === null ? line.Object : <Link to={target}>{line.Object}</Link>}
      {isGone(line) && <span class="hint">{t('no longer exists')}</span>}
    </>
  );
}

/** Names of operations and ids, for people who compare an entry with logs or API calls. */
export function AuditDetails({ line }: { line: Line }) {
  return (
    <details>
      <summary class="hint">{t('Details')}</summary>
      <dl class="audit-details">
        {detailsOf(line).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code class="wrapped">{text}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Returns the screen of the changed object. Null if it has none. */
function routeOf({ ObjectKind, ObjectId }: Line, libraryId: number | null): Route | null {
  if (ObjectId === null) return null;
  if (ObjectKind === 'person') return { name: 'people' };
  if (libraryId === null) return null;
  switch (ObjectKind) {
    case 'video':
      return { name: 'video', libraryId, videoId: ObjectId };
    case 'stream':
      return { name: 'live', libraryId, part: ObjectId };
    case 'collection':
      return { name: 'collections', libraryId };
    case 'endpoint':
      return { name: 'settings', libraryId, part: 'webhooks' };
    case 'key':
      return { name: 'settings', libraryId, part: 'keys' };
    default:
      return null;
  }
}

const OBJECT_TARGETS = ['videoId', 'streamId', 'collectionId', 'endpointId', 'keyId'];
/** Operations that return the GUID of a new object. */
const CREATING = ['createVideo', 'fetchVideo', 'createCollection', 'createLiveStream', 'createWebhookEndpoint'];

/** Returns whether a change was to an object that has been deleted since. */
function isGone({ Object: name, Operation, Targets }: Line): boolean {
  if (name !== null) return false;
  if (CREATING.includes(Operation)) return Targets.guid !== undefined;
  return OBJECT_TARGETS.some((target) => Targets[target] !== undefined && Targets[target] !== NIL);
}

function detailsOf(line: Line): [string, string][] {
  return [
    [t('Operation'), line.Operation],
    [t('Status'), String(line.Status)],
    [t('Key'), `${line.Key} (${line.Scope})`],
    [t('IP address'), line.Ip],
    [t('Request'), line.RequestId],
    ...Object.entries(line.Targets),
  ];
}
