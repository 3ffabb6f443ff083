import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { models } from './models/all.ts';
import { operations } from './operations.ts';

/** Rows of the interface's tables: success, codes besides 200, query names. */
const INTERFACE = [
  'GET /library/{libraryId}/collections/{collectionId} | CollectionModel | 404 | includeThumbnails',
  'POST /library/{libraryId}/collections/{collectionId} | StatusModel | 403,404 |',
  'DELETE /library/{libraryId}/collections/{collectionId} | StatusModel | 403,404 |',
  'GET /library/{libraryId}/collections | PaginationListOfCollectionModel | | page,itemsPerPage,search,orderBy,includeThumbnails',
  'POST /library/{libraryId}/collections | CollectionModel | 403 |',
  'GET /library/{libraryId}/videos | PaginationListOfVideoModel | | page,itemsPerPage,search,collection,orderBy',
  'POST /library/{libraryId}/videos | VideoModel | 400,403 |',
  'GET /library/{libraryId}/videos/{videoId} | VideoModel | 404 |',
  'POST /library/{libraryId}/videos/{videoId} | StatusModel | 403,404 |',
  'DELETE /library/{libraryId}/videos/{videoId} | StatusModel | 403,404 |',
  'PUT /library/{libraryId}/videos/{videoId} | StatusModel | 400,403,404 | jitEnabled,enabledResolutions,enabledOutputCodecs,transcribeEnabled,transcribeLanguages,sourceLanguage,generateTitle,generateDescription,generateChapters,generateMoments',
  'GET /library/{libraryId}/videos/{videoId}/play | VideoPlayDataModel | 404 | token,expires',
  'POST /library/{libraryId}/videos/{videoId}/reencode | VideoModel | 400,403,404 |',
  'PUT /library/{libraryId}/videos/{videoId}/outputs/{outputCodecId} | VideoModel | 400,403,404 |',
  'POST /library/{libraryId}/videos/{videoId}/thumbnail | StatusModel | 403,404 | thumbnailUrl',
  'POST /library/{libraryId}/videos/{videoId}/captions/{srclang} | StatusModelOfCaptionValidationModel | 400,403,404 |',
  'DELETE /library/{libraryId}/videos/{videoId}/captions/{srclang} | StatusModel | 400,403,404 |',
  'GET /library/{libraryId}/videos/{videoId}/resolutions | StatusModelOfVideoResolutionsInfoModel | 404 |',
  'GET /library/{libraryId}/videos/{videoId}/storage | StatusModelOfVideoStorageSizeModel | 404 |',
  'POST /library/{libraryId}/videos/{videoId}/resolutions/cleanup | StatusModel | 403,404 | resolutionsToDelete,deleteNonConfiguredResolutions,deleteOriginal,deleteMp4Files,dryRun,allResolutions,outputs',
  'GET /OEmbed | VideoOEmbedModel | 400,404 | url,maxWidth,maxHeight,token,expires',
  'GET /library/{libraryId}/progress | events | |',
  'GET /library/{libraryId}/videos/{videoId}/progress | events | 404 |',
  'POST /pullzone/{id}/resetSecurityKey | none | 400,404 |',
  'POST /library/{libraryId}/videos/fetch | StatusModel | 400,403,404 | collectionId,thumbnailTime',
  'POST /library/{libraryId}/videos/{videoId}/fetch | StatusModel | 400,403,404 |',
  'GET /pullzone | PullZoneList | | page,perPage,search',
  'GET /pullzone/{id} | PullZoneModel | 404 |',
  'GET /videolibrary | VideoLibraryList | | page,perPage,search',
  'POST /videolibrary | VideoLibraryModel | 400 |',
  'GET /videolibrary/{id} | VideoLibraryModel | 404 |',
  'POST /videolibrary/{id} | VideoLibraryModel | 400,404 |',
  'DELETE /videolibrary/{id} | none | 404 |',
  'GET /videolibrary/languages | VideoLanguageList | |',
  'POST /videolibrary/{id}/resetApiKey | none | 404 | overlapSec',
  'POST /videolibrary/resetApiKey | none | 404 | id,overlapSec',
  'POST /videolibrary/{id}/resetReadOnlyApiKey | none | 404 | overlapSec',
  'POST /videolibrary/{id}/addAllowedReferrer | none | 400,404 |',
  'POST /videolibrary/{id}/removeAllowedReferrer | none | 400,404 |',
  'POST /videolibrary/{id}/addBlockedReferrer | none | 400,404 |',
  'POST /videolibrary/{id}/removeBlockedReferrer | none | 400,404 |',
  'PUT /videolibrary/{id}/watermark | none | 400,404 |',
  'DELETE /videolibrary/{id}/watermark | none | 404 |',
  'GET /videolibrary/{id}/audit | PaginationListModelOfAuditLineModel | 404 | page,perPage',
  'GET /videolibrary/{id}/keys | AccessKeyList | 404 |',
  'POST /videolibrary/{id}/keys | NewAccessKeyModel | 400,404 |',
  'DELETE /videolibrary/{id}/keys/{keyId} | none | 404 |',
  'GET /library/{libraryId}/webhooks | PaginationListOfWebhookEventModel | | page,itemsPerPage,state',
  'POST /library/{libraryId}/webhooks/{eventId}/resend | StatusModel | 403,404 |',
  'POST /library/{libraryId}/webhooks/test | WebhookTestModel | 400,403 |',
];

const titleOf = (schema: object | string | null): string =>
  typeof schema === 'string' ? schema : (Object(schema).title ?? 'none');

test('every operation has the success, the codes and the query of its row in the interface', () => {
  const rows = operations.map(({ method, path, answer, refusals, query }) => {
    const codes = Object.values(refusals)
      .toSorted((a, b) => a - b)
      .join(',');
    return `${method} ${path} | ${titleOf(answer)} | ${codes} | ${Object.keys(query.properties).join(',')}`;
  });
  const plain = (list: string[]) => new Set(list.map((row) => row.replaceAll(/\s+/g, ' ').trim()));
  expect(plain(rows)).toEqual(plain(INTERFACE));
});

test('names are unique, and paths hold just the parameters that are read', () => {
  expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  for (const { path, params } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(inPath).toEqual(Object.keys(params.properties));
  }
});

test('every model and enumeration carries its published name and is a schema that compiles', () => {
  for (const [name, schema] of Object.entries<TSchema>(models)) {
    expect(titleOf(schema)).toBe(name);
    expect(() => Compile(schema)).not.toThrow();
  }
});

test('bodies and answers of operations are named models', () => {
  const named = new Set<unknown>(Object.values(models));
  const used = operations
    .flatMap(({ body, answer }) => [body, answer])
    .filter((model) => model !== null && typeof model !== 'string');
  expect(used.filter((model) => !named.has(model))).toEqual([]);
});
