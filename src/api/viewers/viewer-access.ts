import type { Db, FollowUp } from '../../catalog/db.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibrarySettings } from '../../catalog/libraries/library-settings.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { readViewerAccess } from '../../catalog/libraries/viewer-access.ts';
import { drawViewerSecret, findCollection, findViewerSecret } from '../../catalog/viewers/viewer-access-store.ts';
import type { ViewerAuthorizer } from '../../catalog/viewers/viewer-authorizer.ts';
import { parseGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { defineOperation } from '../define-operation.ts';
import {
  TestViewerAccessModel,
  UpdateViewerAccessModel,
  ViewerAccessModel,
  ViewerVerdictModel,
} from '../models/viewer-access.ts';
import { LibraryParams } from '../read-params.ts';
import { requireUrl } from '../require-url.ts';

type Deps = { libraries: LibraryStore; db: Db; secretBox: SecretBox };
type TestDeps = Deps & { viewers: Pick<ViewerAuthorizer, 'test'> };

const PATH = '/library/{libraryId}/viewers';

/**
 * Not part of the hosted API, like all operations of viewer access. Requires write access, because it shows the
 * secret.
 */
export const getViewerAccess = defineOperation({
  name: 'getViewerAccess',
  summary: 'Get viewer access',
  method: 'GET',
  path: PATH,
  description: 'Returns how the library decides which viewers may watch. Requires a key with write access.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'library.manage',
  params: LibraryParams,
  answer: ViewerAccessModel,
  refusals: { forbidden: 403 },
  run: async ({ params: { libraryId } }, deps: Deps) => toModel(await find(libraryId, deps), deps),
});

export const updateViewerAccess = defineOperation({
  name: 'updateViewerAccess',
  summary: 'Change viewer access',
  method: 'POST',
  path: PATH,
  description:
    'Lets an endpoint of yours (`hook`) or tokens of your issuer (`jwt`) decide which viewers may watch. Absent ' +
    'fields are left unchanged.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  body: UpdateViewerAccessModel,
  answer: ViewerAccessModel,
  refusals: { invalid: 400, forbidden: 403 },
  async run({ params: { libraryId }, body }, deps: Deps) {
    const { renewSecret = false, ...change } = body;
    const drawSecret: FollowUp = (tx) => drawViewerSecret({ ...deps, db: tx }, libraryId, !renewSecret);
    await deps.libraries.change(
      libraryId,
      ({ settings }) => {
        const patch = withoutEmpty(change);
        const viewers = { ...settings.viewers, ...patch };
        requireCompleteViewers(viewers);
        // Edges read the secret again when the settings change.
        const secretVersion = settings.viewers.secretVersion + (renewSecret ? 1 : 0);
        return { settings: { viewers: { ...patch, secretVersion } } };
      },
      ...(body.mode === 'hook' || renewSecret ? [drawSecret] : []),
    );
    return toModel(await find(libraryId, deps), deps);
  },
});

export const testViewerAccess = defineOperation({
  name: 'testViewerAccess',
  summary: 'Test viewer access',
  method: 'POST',
  path: `${PATH}/test`,
  description:
    'Asks the endpoint, or verifies the token, as for a viewer of a video. Returns the verdict and its time.',
  auth: 'access-key',
  permission: 'library.manage',
  params: LibraryParams,
  body: TestViewerAccessModel,
  answer: ViewerVerdictModel,
  refusals: { invalid: 400, forbidden: 403, conflict: 409 },
  async run({ params: { libraryId }, body, address }, deps: TestDeps) {
    const mediaId = parseGuid(body.videoId);
    if (mediaId === null) {
      throw new Refused('invalid', 'Expected videoId to be the GUID of a video. Correct the value.', {
        field: 'videoId',
      });
    }
    const { settings } = await find(libraryId, deps);
    const access = readViewerAccess(settings, await findViewerSecret(deps, libraryId));
    if (access.mode === 'off') throw new Refused('conflict', 'Viewer access is off. Choose hook or jwt first.');
    const { viewer: token = '', ip = address, userAgent = '', referrer = null } = body;
    const collectionId = await findCollection(deps.db, { libraryId, mediaId });
    const facts = { libraryId, mediaId, collectionId, token, address: ip, userAgent, referrer };
    const startedMs = performance.now();
    const found = await deps.viewers.test(access, facts);
    return {
      verdict: found.kind,
      reason: found.reason,
      validSec: found.kind === 'unchecked' ? null : Math.max(0, Math.round((found.untilMs - Date.now()) / 1000)),
      durationMs: Math.round(performance.now() - startedMs),
    };
  },
});

async function find(libraryId: number, { libraries }: Pick<Deps, 'libraries'>): Promise<Library> {
  const library = await libraries.findLibrary(libraryId);
  if (library === null) throw new Refused('forbidden', `Library ${libraryId} does not exist.`);
  return library;
}

type Viewers = LibrarySettings['viewers'];
type Change = Omit<UpdateViewerAccessModel, 'renewSecret'>;

/** An empty text removes a value, as null does. */
export function withoutEmpty(change: Change): Change {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value === '' ? null : value]));
}

/** Throws `Refused` (`invalid`) if a chosen mode lacks a value, because no viewer could watch. */
export function requireCompleteViewers(viewers: Pick<Viewers, 'mode'> & { [K in keyof Viewers]?: unknown }): void {
  const { mode, url, jwksUrl, issuer, audience } = viewers;
  for (const [field, value] of Object.entries({ url, jwksUrl }))
    if (typeof value === 'string') requireUrl(field, value);
  const needed = mode === 'hook' ? { url } : mode === 'jwt' ? { issuer, audience, jwksUrl } : {};
  for (const [field, value] of Object.entries(needed)) {
    if (typeof value === 'string') continue;
    throw new Refused('invalid', `Expected ${field} for mode ${mode}, got none. Add it.`, { field });
  }
}

async function toModel({ id, settings: { viewers } }: Library, deps: Deps): Promise<ViewerAccessModel> {
  const { secretVersion: _, ...fields } = viewers;
  return { ...fields, secret: await findViewerSecret(deps, id) };
}
