import type { ListedItem } from '../../../catalog/imports/listed-item.ts';
import { Refused } from '../../../lib/refused.ts';
import type { ImportSource, ListedPage, Listing, Located, LocatedFiles, SourceRequest } from '../import-source.ts';
import { requireNoObstacle, type SourceClient, SourcePreparing } from '../source-client.ts';
import { countOf, emptyVideo, type Fields, fieldsOf, listOf, secOf, tagsOf, textOf, titleOf } from './read-fields.ts';

/** Maximum page size of the list of assets. */
const PAGE_ITEMS = 100;

/** Assets of a Mux environment. Their masters are requested one by one, because Mux makes them available for a day. */
export const mux: ImportSource = {
  name: 'mux',
  awaitsUploads: false,
  preparesFiles: true,
  refreshSec: null,
  prepare: async (request) => request,
  list: listAssets,
  locate,
};

async function listAssets(
  request: SourceRequest,
  { cursor, client, guidFor }: Listing,
  signal: AbortSignal,
): Promise<ListedPage> {
  const query = new URLSearchParams({ limit: String(PAGE_ITEMS), ...(cursor !== null && { cursor }) });
  const read = fieldsOf(await client.readJson({ ...at(request, `/video/v1/assets?${query}`) }, signal));
  return { items: listOf(read.data).map((asset) => readAsset(asset, guidFor)), next: textOf(read.next_cursor) };
}

function at({ apiUrl, accessKey, secretKey }: SourceRequest, path: string) {
  const pair = Buffer.from(`${accessKey}:${secretKey}`).toString('base64');
  return { url: `${apiUrl}${path}`, headers: { Authorization: `Basic ${pair}` } };
}

function readAsset(asset: Fields, guidFor: Listing['guidFor']): ListedItem {
  const sourceId = textOf(asset.id) ?? '';
  const meta = fieldsOf(asset.meta);
  const playback = listOf(asset.playback_ids);
  const isPublic = playback.some(({ policy }) => policy === 'public');
  const createdSec = Number(asset.created_at);
  const playbackIds = playback.map(({ id }) => textOf(id)).filter((id) => id !== null);
  const extra = [
    { property: 'muxPlaybackId', value: playbackIds.join(', ') },
    { property: 'muxPassthrough', value: textOf(asset.passthrough) ?? '' },
    { property: 'muxExternalId', value: textOf(meta.external_id) ?? '' },
    { property: 'muxCreatorId', value: textOf(meta.creator_id) ?? '' },
  ];
  return {
    kind: 'video',
    sourceId,
    id: guidFor(sourceId),
    title: titleOf(textOf(meta.title) ?? asset.passthrough, sourceId),
    sizeBytes: null,
    durationSec: secOf(asset.duration),
    obstacle: obstacleOf(asset),
    notes: notesOf(asset, playback),
    video: {
      ...emptyVideo(),
      isPublic,
      visibility: isPublic ? 'public' : 'private',
      uploadedAt: createdSec > 0 ? new Date(createdSec * 1000).toISOString() : null,
      metaTags: [...tagsOf('muxAssetId', sourceId, []), ...extra.filter(({ value }) => value !== '')],
    },
  };
}

function obstacleOf({ status, errors }: Fields) {
  if (status === 'ready') return null;
  const reasons = fieldsOf(errors).messages;
  if (status === 'errored') {
    const why = Array.isArray(reasons) ? ` ${reasons.join(' ')}` : '';
    return { reason: `Mux could not process this asset.${why}`, isRetryable: false };
  }
  return { reason: 'Mux is still processing this asset.', isRetryable: true };
}

function notesOf(asset: Fields, playback: readonly Fields[]): string[] {
  const isPublic = playback.some(({ policy }) => policy === 'public');
  const restricted = playback.filter(({ policy }) => policy === 'signed' || policy === 'drm');
  const isLive = textOf(asset.live_stream_id) !== null;
  return [
    ...(restricted.length > 0
      ? [`Its signed or protected playback policy is not imported.${isPublic ? '' : ' The video is private.'}`]
      : []),
    ...(isLive ? ['It is the recording of a live stream, whose stream key is not imported.'] : []),
  ];
}

async function locate(
  request: SourceRequest,
  { item, client }: { item: Located; client: SourceClient },
  signal: AbortSignal,
): Promise<LocatedFiles> {
  const path = `/video/v1/assets/${encodeURIComponent(item.sourceId)}`;
  const read = async () => fieldsOf(fieldsOf(await client.readJson(at(request, path), signal)).data);
  let asset = await read();
  requireNoObstacle(obstacleOf(asset));
  if (fieldsOf(asset.master).status === undefined) {
    const body = JSON.stringify({ master_access: 'temporary' });
    await client.readJson({ ...at(request, `${path}/master-access`), method: 'PUT', body }, signal);
    asset = await read();
  }
  const { status, url } = fieldsOf(asset.master);
  const publicId = textOf(listOf(asset.playback_ids).find(({ policy }) => policy === 'public')?.id);
  const renditions = publicId === null ? [] : renditionsOf(asset, `${request.cdnUrl}/${publicId}`);
  const master = textOf(url);
  if (status === 'ready' && master !== null) {
    return { files: [{ kind: 'master', url: master, headers: {} }, ...renditions], ...textsOf(asset, request) };
  }
  if (status === 'preparing') throw new SourcePreparing('Mux is preparing the master of this asset.');
  if (renditions.length > 0) return { files: renditions, ...textsOf(asset, request) };
  throw new Refused('invalid', `Expected Mux to prepare the master, got the status ${JSON.stringify(status)}.`);
}

function renditionsOf(asset: Fields, base: string): LocatedFiles['files'] {
  return listOf(fieldsOf(asset.static_renditions).files)
    .filter(({ ext, status }) => ext === 'mp4' && (status === undefined || status === 'ready'))
    .toSorted((a, b) => countOf(b.height) - countOf(a.height))
    .map(({ name }) => ({ kind: 'mp4', url: `${base}/${encodeURIComponent(String(name))}`, headers: {} }));
}

/** Captions can only be read through a public playback id. */
function textsOf(asset: Fields, { cdnUrl }: SourceRequest): Omit<LocatedFiles, 'files'> {
  const publicId = textOf(listOf(asset.playback_ids).find(({ policy }) => policy === 'public')?.id);
  const texts = listOf(asset.tracks).filter(({ type, status }) => type === 'text' && (status ?? 'ready') === 'ready');
  const captions = texts.flatMap(({ id, language_code: code, name, text_source: made }) => {
    const srclang = textOf(code);
    if (publicId === null || srclang === null) return [];
    const url = `${cdnUrl}/${publicId}/text/${String(id)}.vtt`;
    const origin = String(made).startsWith('generated') ? { origin: 'speech' as const } : {};
    return [{ url, headers: {}, srclang, label: textOf(name) ?? '', ...origin }];
  });
  const lost = texts.length - captions.length;
  const reason = publicId === null ? 'the asset has no public playback id' : 'they have no language';
  return { captions, thumbnail: null, notes: lost === 0 ? [] : [`${lost} captions are not imported: ${reason}.`] };
}
