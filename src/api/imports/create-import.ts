import { readImportedOrder } from '../../catalog/collections/video-order.ts';
import { readThreads } from '../../catalog/comments/imported-thread.ts';
import type { ImportStore } from '../../catalog/imports/import-store.ts';
import { DEFAULT_IMPORT_CONCURRENCY, type ImportSourceName } from '../../catalog/imports/library-import.ts';
import { type ListedItem, readDays } from '../../catalog/imports/listed-item.ts';
import { FAILED_STATUS } from '../../catalog/imports/sidecars.ts';
import { SOURCE_FIELDS, type SourceField } from '../../catalog/imports/source-fields.ts';
import type { SourceRequest } from '../../jobs/imports/import-source.ts';
import { sendImport } from '../../jobs/imports/run-import.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { checkUrl } from '../../lib/outbound/request-rules.ts';
import { quote } from '../../lib/quote.ts';
import { readTime } from '../../lib/read-time.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { CreateImportModel, ImportModel, type ImportUploadModel } from '../models/import.ts';
import { LibraryParams } from '../read-params.ts';
import { toImportModel } from './import-model.ts';

type Deps = { imports: ImportStore; queue: Queue };

/** Not part of the hosted API. Needs the account key, because it sets GUIDs, dates and view counts. */
export const createImport = defineOperation({
  name: 'createImport',
  summary: 'Start an import',
  method: 'POST',
  path: '/library/{libraryId}/imports',
  description:
    'Imports the videos and collections of another service in the background, with their GUIDs. `dryRun` only lists ' +
    'what would be imported. With the source `upload`, the request lists the videos, and you upload their files.',
  auth: 'account-key',
  permission: 'account.manage',
  params: LibraryParams,
  body: CreateImportModel,
  bodyLimitBytes: 16 * 2 ** 20,
  answer: ImportModel,
  refusals: { invalid: 400, 'not-found': 404, conflict: 409 },
  async run({ params: { libraryId }, body }, { imports, queue }: Deps) {
    const request = body.source === 'upload' ? readUploads(body) : readSource({ ...body, source: body.source });
    const wanted = {
      libraryId,
      source: body.source,
      address: addressOf(request),
      request,
      isDryRun: body.dryRun ?? false,
      concurrency: body.concurrency ?? DEFAULT_IMPORT_CONCURRENCY,
      maxBytesPerSec: body.bandwidth ?? null,
      skipsDuplicates: body.skipDuplicates ?? false,
      makesNewGuids: body.newGuids ?? false,
      restoresSettings: body.settings ?? null,
    };
    const key = await imports.create(wanted, (tick) => sendImport(queue, tick));
    return toImportModel(await imports.load(key));
  },
});

/** Returns the URL without secrets, for display. */
function addressOf({ apiUrl, libraryId, account, bucket, prefix }: SourceRequest): string {
  const inside = bucket === null ? account : [bucket, prefix].filter((part) => part !== null).join('/');
  if (libraryId !== null) return `${apiUrl}/library/${libraryId}`;
  return inside === null ? apiUrl : `${apiUrl}/${inside}`;
}

function readSource(body: CreateImportModel & { source: Exclude<ImportSourceName, 'upload'> }): SourceRequest {
  const { source, sourceLibraryId } = body;
  const { needs, usual } = SOURCE_FIELDS[source];
  if ((body.items ?? []).length > 0) throw misfit('items', `Expected no items with ${source}. Use the source upload.`);
  for (const need of needs) requireOne(body, typeof need === 'string' ? [need] : need);
  const apiUrl = readAddress(body.apiUrl || usual.apiUrl || usualEndpoint(body), 'apiUrl');
  return {
    apiUrl: apiUrl ?? '',
    coreUrl: readAddress(body.coreUrl || usual.coreUrl || apiUrl, 'coreUrl'),
    accessKey: body.accessKey || null,
    accountKey: body.accountKey || null,
    libraryId: sourceLibraryId ?? null,
    cdnUrl: readAddress(body.cdnUrl || usual.cdnUrl, 'cdnUrl'),
    securityKey: body.securityKey || null,
    referrer: readAddress(body.referrer, 'referrer'),
    account: body.account || null,
    secretKey: body.secretKey || null,
    bucket: body.bucket || null,
    prefix: body.prefix || null,
    region: body.region || null,
    storage: null,
    preparedMs: null,
    items: [],
  };
}

/** Amazon S3 has one endpoint per region. */
function usualEndpoint({ source, region }: CreateImportModel): string | null {
  return source === 's3' ? `https://s3.${region || 'us-east-1'}.amazonaws.com` : null;
}

function requireOne(body: CreateImportModel, fields: readonly SourceField[]): void {
  const isSent = (field: SourceField) => body[field] != null && body[field] !== '';
  const [field = ''] = fields;
  if (fields.some(isSent)) return;
  throw misfit(field, `Expected ${fields.join(' or ')} with ${body.source}, got none. Send ${fields.join(' or ')}.`);
}

/** Checks a URL. The worker refuses private addresses when it connects. */
function readAddress(text: string | null | undefined, field: string): string | null {
  if (text == null || text === '') return null;
  try {
    return checkUrl(text).href.replace(/\/+$/, '');
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause;
    throw misfit(field, `${field}: ${cause.message}`);
  }
}

function readUploads({ items, newGuids }: CreateImportModel): SourceRequest {
  if (newGuids === true) throw misfit('newGuids', 'Expected no newGuids with upload. Send the new GUIDs in items.');
  if (items == null || items.length === 0) {
    throw misfit('items', 'Expected items with the source upload, got none. Send the videos that you will upload.');
  }
  const listed = items.map(readUpload);
  const none = { coreUrl: null, accessKey: null, accountKey: null, libraryId: null, cdnUrl: null, preparedMs: null };
  const places = { account: null, secretKey: null, bucket: null, prefix: null, region: null };
  return { apiUrl: '', ...none, ...places, securityKey: null, referrer: null, storage: null, items: listed };
}

function readUpload(sent: ImportUploadModel, index: number): ListedItem {
  const id = readId(sent.guid, `items[${index}].guid`);
  const { sourceId, title } = sent;
  if (sent.kind === 'collection') return { kind: 'collection', sourceId, id, title, order: readImportedOrder(sent) };
  const { dateUploaded, collectionId, noMediaReason } = sent;
  const comments = readThreads(sent.comments ?? []);
  const uploadedAt = dateUploaded == null ? null : readTime(dateUploaded);
  if (dateUploaded != null && uploadedAt === null) {
    throw misfit(
      'items',
      `Expected items[${index}].dateUploaded to be a date, got ${quote(dateUploaded)}. Correct it.`,
    );
  }
  return {
    kind: 'video',
    sourceId,
    id,
    title,
    sizeBytes: sent.sizeBytes ?? null,
    durationSec: null,
    obstacle: noMediaReason ? { reason: noMediaReason, isRetryable: false } : null,
    notes: comments.leftOut === 0 ? [] : [`${comments.leftOut} review comments could not be imported.`],
    video: {
      description: sent.description || null,
      category: sent.category || null,
      collectionId: collectionId ? readId(collectionId, `items[${index}].collectionId`) : null,
      isPublic: sent.isPublic ?? false,
      visibility: sent.visibility ?? 'public',
      uploadedAt: uploadedAt?.toISOString() ?? null,
      views: Math.max(0, sent.views ?? 0),
      watchSec: Math.max(0, sent.totalWatchTime ?? 0),
      days: readDays(sent.statistics ?? []),
      chapters: (sent.chapters ?? []).map(({ title: name, start = 0, end = 0 }) => ({ title: name, start, end })),
      moments: (sent.moments ?? []).map(({ label, timestamp = 0 }) => ({ label, timestamp })),
      metaTags: (sent.metaTags ?? []).map(({ property, value }) => ({ property: property ?? '', value: value ?? '' })),
      captions: [],
      thumbnail: null,
      thumbnailTimeMs: sent.thumbnailTime ?? null,
      comments: comments.threads,
      commentsFile: null,
      hasFailed: sent.status === FAILED_STATUS,
      files: [],
    },
  };
}

function readId(text: string, field: string): Guid {
  const id = readGuid(text);
  if (id !== null) return id;
  throw misfit('items', `Expected ${field} to be a GUID, got ${quote(text)}. Correct it.`);
}

function misfit(field: string, message: string): Refused {
  return new Refused('invalid', message, { field });
}
