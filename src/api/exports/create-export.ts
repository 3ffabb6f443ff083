import type { ExportStore } from '../../catalog/exports/export-store.ts';
import { DEFAULT_EXPORT_CONCURRENCY, type ExportDestination } from '../../catalog/exports/library-export.ts';
import { sendExport } from '../../jobs/exports/run-export.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { checkUrl } from '../../lib/outbound/request-rules.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { CreateExportModel, ExportModel } from '../models/export.ts';
import { LibraryParams } from '../read-params.ts';
import { toExportModel } from './export-model.ts';

type Deps = { exports: ExportStore; queue: Queue; exportsToFolders: boolean };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,62}$/;
const REGION = /^[A-Za-z0-9-]{1,100}$/;
/** Prefixes and folders: parts of these characters, of which none is `.` or `..`. */
const PART = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
const DEFAULT_REGION = 'us-east-1';

/** Not part of the hosted API. Needs the account key, because an export copies the originals. */
export const createExport = defineOperation({
  name: 'createExport',
  summary: 'Start an export',
  method: 'POST',
  path: '/library/{libraryId}/exports',
  description:
    'Writes a library into an S3 bucket in the background: originals, captions, thumbnails, metadata, statistics and ' +
    'checksums. An import restores it with the same ids. A second export into the same place transfers only changes.',
  auth: 'account-key',
  permission: 'library.manage',
  params: LibraryParams,
  body: CreateExportModel,
  answer: ExportModel,
  refusals: { invalid: 400, 'not-found': 404, conflict: 409 },
  async run({ params: { libraryId }, body }, { exports, queue, exportsToFolders }: Deps) {
    const destination = body.target === 's3' ? readBucket(body) : readFolder(body, exportsToFolders);
    const wanted = {
      libraryId,
      address: addressOf(destination),
      destination,
      concurrency: body.concurrency ?? DEFAULT_EXPORT_CONCURRENCY,
      maxBytesPerSec: body.bandwidth ?? null,
    };
    const key = await exports.create(wanted, (tick) => sendExport(queue, tick));
    return toExportModel(await exports.load(key));
  },
});

/** Returns the destination without secrets, for display. */
function addressOf(destination: ExportDestination): string {
  if (destination.kind === 'folder') return destination.folder;
  return `${destination.endpoint}/${destination.bucket}/${destination.prefix}`.replace(/\/$/, '');
}

function readBucket(body: CreateExportModel): ExportDestination {
  const bucket = body.bucket ?? '';
  if (!BUCKET.test(bucket)) throw misfit('bucket', `Expected the name of a bucket, got ${quote(bucket)}. Correct it.`);
  const region = body.region || DEFAULT_REGION;
  if (!REGION.test(region)) throw misfit('region', `Expected a region, got ${quote(region)}. Correct it.`);
  const endpoint = body.apiUrl ? readEndpoint(body.apiUrl) : `https://s3.${region}.amazonaws.com`;
  const prefix = readParts(body.prefix ?? '', 'prefix').map((part) => `${part}/`);
  const accessKeyId = requireText(body, 'accessKey');
  const secretAccessKey = requireText(body, 'secretKey');
  return { kind: 's3', endpoint, region, bucket, prefix: prefix.join(''), accessKeyId, secretAccessKey };
}

function requireText(body: CreateExportModel, field: 'accessKey' | 'secretKey'): string {
  const text = body[field] ?? '';
  if (text !== '') return text;
  throw misfit(field, `Expected ${field} of the bucket, got none. Send ${field}.`);
}

/** Checks a URL. The worker refuses private addresses when it connects. */
function readEndpoint(text: string): string {
  try {
    return checkUrl(text).href.replace(/\/+$/, '');
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause;
    throw misfit('apiUrl', `apiUrl: ${cause.message}`);
  }
}

function readFolder(body: CreateExportModel, isAllowed: boolean): ExportDestination {
  if (!isAllowed) {
    const message = 'Exports to a folder are turned off. Export to a bucket, or set MILLRACE_EXPORT_DIR.';
    throw misfit('target', message);
  }
  const parts = readParts(body.folder ?? '', 'folder');
  if (parts.length === 0) throw misfit('folder', 'Expected the name of a folder, got none. Send folder.');
  return { kind: 'folder', folder: parts.join('/') };
}

function readParts(text: string, field: 'prefix' | 'folder'): string[] {
  const parts = text.split('/').filter((part) => part !== '');
  if (parts.every((part) => PART.test(part))) return parts;
  const message = `Expected ${field} of letters from A to Z, digits, ".", "_" and "-", in parts separated by "/"`;
  throw misfit(field, `${message}, got ${quote(text)}. Correct it.`);
}

function misfit(field: string, message: string): Refused {
  return new Refused('invalid', message, { field });
}
