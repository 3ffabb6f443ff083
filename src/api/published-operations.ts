/**
 * Every operation of the hosted API that clients may call: from its published description (a test compares the two),
 * from later descriptions, and from the account API. All other operations are our own. The service responds with 501 to
 * a listed operation that it lacks.
 */
export const PUBLISHED_OPERATIONS: readonly string[] = [
  'GET /library/{libraryId}/collections/{collectionId}',
  'POST /library/{libraryId}/collections/{collectionId}',
  'DELETE /library/{libraryId}/collections/{collectionId}',
  'GET /library/{libraryId}/collections',
  'POST /library/{libraryId}/collections',
  'GET /library/{libraryId}/live/{streamId}',
  'PUT /library/{libraryId}/live/{streamId}',
  'DELETE /library/{libraryId}/live/{streamId}',
  'GET /library/{libraryId}/live/{streamId}/play',
  'POST /library/{libraryId}/live',
  'GET /library/{libraryId}/live',
  'PUT /library/{libraryId}/live/{streamId}/start',
  'PUT /library/{libraryId}/live/{streamId}/stop',
  'GET /library/{libraryId}/live/{streamId}/bitrate-history',
  'GET /library/{libraryId}/live/{streamId}/current-bitrate',
  'POST /library/{libraryId}/live/{streamId}/thumbnail',
  'GET /library/{libraryId}/live/{streamId}/thumbnails',
  'GET /library/{libraryId}/videos/{videoId}',
  'POST /library/{libraryId}/videos/{videoId}',
  'DELETE /library/{libraryId}/videos/{videoId}',
  'PUT /library/{libraryId}/videos/{videoId}',
  'GET /library/{libraryId}/videos/{videoId}/heatmap',
  'GET /library/{libraryId}/videos/{videoId}/play',
  'GET /library/{libraryId}/videos/{videoId}/play/heatmap',
  'GET /library/{libraryId}/statistics',
  'POST /library/{libraryId}/videos/{videoId}/reencode',
  'PUT /library/{libraryId}/videos/{videoId}/outputs/{outputCodecId}',
  'POST /library/{libraryId}/videos/{videoId}/repackage',
  'GET /library/{libraryId}/videos',
  'POST /library/{libraryId}/videos',
  'POST /library/{libraryId}/videos/{videoId}/thumbnail',
  'POST /library/{libraryId}/videos/fetch',
  'POST /library/{libraryId}/videos/{videoId}/captions/{srclang}',
  'DELETE /library/{libraryId}/videos/{videoId}/captions/{srclang}',
  'POST /library/{libraryId}/videos/{videoId}/transcribe',
  'POST /pullzone/{id}/resetSecurityKey',
  'GET /shield/event-logs/{shieldZoneId}/{date}/{continuationToken}',
  // Operations from later versions of the published description.
  'POST /library/{libraryId}/videos/{videoId}/smart',
  'GET /library/{libraryId}/live/{streamId}/status',
  'PUT /library/{libraryId}/live/{streamId}/regenerate-key',
  'DELETE /library/{libraryId}/live/{streamId}/thumbnail',
  'GET /library/{libraryId}/live/statistics/encoding',
  'PUT /videolibrary/{id}/live/thumbnail',
  'DELETE /videolibrary/{id}/live/thumbnail',
  'PUT /videolibrary/{id}/live/watermark',
  'DELETE /videolibrary/{id}/live/watermark',
  'GET /shield/event-logs/{shieldZoneId}/{date}',
  'POST /shield/event-logs/{shieldZoneId}/search',
  'POST /shield/event-logs/{shieldZoneId}/export',
  'POST /library/{libraryId}/videos/{videoId}/fetch',
  'GET /library/{libraryId}/videos/{videoId}/resolutions',
  'POST /library/{libraryId}/videos/{videoId}/resolutions/cleanup',
  'GET /library/{libraryId}/videos/{videoId}/storage',
  'GET /OEmbed',
  'GET /FairPlay/{libraryId}/certificate',
  'POST /FairPlay/{libraryId}/license',
  'POST /FairPlayLicense/{libraryId}/{videoId}',
  'POST /WidevineLicense/{libraryId}/{videoId}',
  // The account API.
  'GET /country',
  'GET /region',
  'GET /statistics',
  'GET /pullzone',
  'POST /pullzone',
  'DELETE /pullzone/{id}',
  'GET /pullzone/loadFreeCertificate',
  'POST /pullzone/{id}/addCertificate',
  'DELETE /pullzone/{id}/removeCertificate',
  'POST /pullzone/{id}/setForceSSL',
  'GET /pullzone/{id}',
  'POST /pullzone/{id}',
  'POST /pullzone/{id}/addAllowedReferrer',
  'POST /pullzone/{id}/removeAllowedReferrer',
  'POST /pullzone/{id}/addBlockedReferrer',
  'POST /pullzone/{id}/removeBlockedReferrer',
  'POST /pullzone/{id}/addBlockedIp',
  'POST /pullzone/{id}/removeBlockedIp',
  'POST /pullzone/{id}/addHostname',
  'DELETE /pullzone/{id}/removeHostname',
  'POST /pullzone/{id}/purgeCache',
  'GET /shield/shield-zones',
  'GET /shield/shield-zone/{shieldZoneId}',
  'GET /shield/shield-zone/get-by-pullzone/{pullZoneId}',
  'PATCH /shield/shield-zone',
  'GET /videolibrary',
  'POST /videolibrary',
  'GET /videolibrary/{id}',
  'POST /videolibrary/{id}',
  'DELETE /videolibrary/{id}',
  'GET /videolibrary/languages',
  'POST /videolibrary/{id}/resetApiKey',
  'POST /videolibrary/resetApiKey',
  'POST /videolibrary/{id}/resetReadOnlyApiKey',
  'POST /videolibrary/resetReadOnlyApiKey',
  'GET /videolibrary/{id}/drm/statistics',
  'GET /videolibrary/{id}/transcribing/statistics',
  'POST /videolibrary/{id}/addAllowedReferrer',
  'POST /videolibrary/{id}/removeAllowedReferrer',
  'POST /videolibrary/{id}/addBlockedReferrer',
  'POST /videolibrary/{id}/removeBlockedReferrer',
  'PUT /videolibrary/{id}/watermark',
  'DELETE /videolibrary/{id}/watermark',
  'GET /storagezone/{id}',
  'POST /storagezone/{id}',
  'GET /user',
  'GET /billing',
];

const HOSTED: ReadonlySet<string> = new Set(PUBLISHED_OPERATIONS.map(shapeOf));

/** Returns whether an operation exists in the hosted API. Clients of such operations may send unknown names. */
export function isHosted({ method, path }: { method: string; path: string }): boolean {
  return HOSTED.has(shapeOf(`${method} ${path}`));
}

/** A published operation that the service lacks. */
export type MissingOperation = { method: string; path: string };

/** Returns the published operations that are not in `present`. Names of path parameters may differ. */
export function missingOperations(present: readonly MissingOperation[]): MissingOperation[] {
  const known = new Set(present.map(({ method, path }) => shapeOf(`${method} ${path}`)));
  return PUBLISHED_OPERATIONS.filter((name) => !known.has(shapeOf(name))).map((name) => {
    const [method = '', path = ''] = name.split(' ');
    return { method, path };
  });
}

function shapeOf(name: string): string {
  return name.replaceAll(/\{\w+\}/g, '{}').toLowerCase();
}
