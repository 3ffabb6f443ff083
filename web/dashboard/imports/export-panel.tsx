import { useSignal } from '@preact/signals';
import type { PaginationListOfExportModel } from '../../../src/api/models/export.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { prefix } from '../base/router.ts';
import { saveAs } from '../base/save-as.ts';
import { NumberField, SelectField, TextField } from '../parts/fields.tsx';
import { CopyField, Notice, Pager } from '../parts/parts.tsx';
import { ExportHistory } from './export-history.tsx';

/** Maximum number of videos, or of collections, in a file that a browser assembles. */
const MAX_ITEMS = 50_000;
const PAGE_ITEMS = 1_000;
const PER_PAGE = 10;
const REFRESH_MS = 2_000;
const MEGABYTE = 1_000_000;

/** Path of a folder that an export accepts. */
const FOLDER = /^[A-Za-z0-9._/-]{0,200}$/;

type Place = {
  target: 's3' | 'folder';
  bucket: string;
  accessKey: string;
  secretKey: string;
  folder: string;
  endpoint: string;
  region: string;
  concurrency: number;
  megabytesPerSec: number;
};
type TextName = 'bucket' | 'accessKey' | 'secretKey' | 'folder' | 'endpoint' | 'region';
type FieldTexts = { hint?: string; error?: string | null; isSecret?: boolean };

const EMPTY: Place = {
  ...{ target: 's3', bucket: '', accessKey: '', secretKey: '', folder: '', endpoint: '', region: '' },
  ...{ concurrency: 2, megabytesPerSec: 0 },
};

/** Exports a library: in the service, or by a command. Shows the exports of the service. */
export function ExportPanel({ libraryId }: { libraryId: number }) {
  const path = `/library/${libraryId}/exports`;
  const page = useSignal(1);
  const place = useSignal<Place>(EMPTY);
  const found = useLoaded<PaginationListOfExportModel>(`${path}?page=${page.value}&itemsPerPage=${PER_PAGE}`);
  useRefresh(found.look, REFRESH_MS);
  const list = found.value.value;
  return (
    <>
      <section class="panel stack" data-export>
        <h2>{t('Export')}</h2>
        <p class="hint">
          {t('Writes originals, captions, thumbnails, metadata, statistics and checksums.')}{' '}
          {t('Run it again to continue, or to add changes. An import restores the library with the same ids.')}
        </p>
        <ExportForm
          path={path}
          place={place.value}
          set={(change) => (place.value = { ...place.value, ...change })}
          isFolderAllowed={list?.foldersAllowed === true}
          onMade={found.again}
        />
        <Command libraryId={libraryId} place={place.value} />
        <Metadata libraryId={libraryId} />
      </section>
      {found.error.value !== null && <Notice kind="error">{found.error.value}</Notice>}
      {list !== null && list.items.length > 0 && (
        <ExportHistory path={path} items={list.items} onChanged={found.again} />
      )}
      {list !== null && <Pager page={page} total={list.totalItems} perPage={PER_PAGE} />}
    </>
  );
}

type FormProps = {
  path: string;
  place: Place;
  set: (change: Partial<Place>) => void;
  isFolderAllowed: boolean;
  onMade: () => void;
};

function ExportForm({ path, place, set, isFolderAllowed, onMade }: FormProps) {
  const starting = useAction();
  const isFolder = place.target === 'folder';
  const start = (event: Event) => {
    event.preventDefault();
    void starting.run(async () => {
      await api('POST', path, bodyOf(place));
      // The service keeps the keys of the export.
      set({ accessKey: '', secretKey: '' });
      onMade();
    });
  };
  const field = (name: TextName, label: string, texts: FieldTexts = {}) => (
    <TextField label={label} {...texts} value={place[name]} onChange={(to) => set({ [name]: to.trim() })} />
  );
  const error = isFolderName(place.folder)
    ? null
    : t('Use only letters from A to Z, digits and the characters . _ - /, at most 200.');
  return (
    <form class="stack" onSubmit={start}>
      {isFolderAllowed && (
        <SelectField
          label={t('Export to')}
          value={place.target}
          choices={[
            ['s3', t('S3 bucket')],
            ['folder', t('Folder of the service')],
          ]}
          // The choices are the names of the targets.
          onChange={(to) => set({ target: to as Place['target'] })}
        />
      )}
      {isFolder ? (
        field('folder', t('Folder name'), { error, hint: t('The administrator of the service knows where it is.') })
      ) : (
        <>
          {field('bucket', t('Bucket'))}
          {field('accessKey', t('Access key ID'))}
          {field('secretKey', t('Secret access key'), { isSecret: true })}
          {field('folder', t('Folder in the bucket'), { error, hint: t('The whole bucket by default.') })}
        </>
      )}
      <details>
        <summary>{t('More options')}</summary>
        <div class="stack">
          {!isFolder && field('endpoint', t('S3 endpoint'), { hint: t('Amazon S3 by default.') })}
          {!isFolder && field('region', t('Region'), { hint: t('us-east-1 by default.') })}
          <NumberField
            label={t('Parallel transfers')}
            min={1}
            value={place.concurrency}
            onChange={(concurrency) => set({ concurrency })}
          />
          <NumberField
            label={t('Bandwidth limit in MB/s')}
            hint={t('0 for no limit.')}
            value={place.megabytesPerSec}
            onChange={(megabytesPerSec) => set({ megabytesPerSec })}
          />
        </div>
      </details>
      {starting.error.value !== null && <Notice kind="error">{starting.error.value}</Notice>}
      <div class="row">
        <button type="submit" class="primary" disabled={starting.isBusy.value || error !== null}>
          {t('Start export')}
        </button>
      </div>
    </form>
  );
}

function bodyOf({ target, folder, endpoint, megabytesPerSec, concurrency, ...bucket }: Place): object {
  const limits = { concurrency, ...(megabytesPerSec > 0 && { bandwidth: Math.round(megabytesPerSec * MEGABYTE) }) };
  if (target === 'folder') return { target, folder, ...limits };
  return { target, ...bucket, prefix: folder, apiUrl: endpoint, ...limits };
}

/** The command is the second way, for a bucket or a folder that the service cannot reach. */
function Command({ libraryId, place }: { libraryId: number; place: Place }) {
  return (
    <details data-command>
      <summary>{t('With the command line')}</summary>
      <div class="stack">
        {isFolderName(place.folder) && <CopyField label={t('Command')} text={commandOf(libraryId, place)} isWrapped />}
        <p class="hint">
          {place.bucket === ''
            ? t('Without a bucket, the command writes into a folder.')
            : t('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the keys of the bucket.')}
        </p>
      </div>
    </details>
  );
}

function Metadata({ libraryId }: { libraryId: number }) {
  const saving = useAction();
  const isShort = useSignal(false);
  const save = () =>
    saving.run(async () => {
      const { text, isComplete } = await readMetadata(libraryId);
      isShort.value = !isComplete;
      saveAs(`library-${libraryId}.json`, text);
    });
  return (
    <>
      {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
      {isShort.value && <Notice kind="error">{t('The file contains only the first {0} videos.', MAX_ITEMS)}</Notice>}
      <div class="row">
        <button type="button" disabled={saving.isBusy.value} onClick={() => void save()}>
          {t('Download metadata as JSON')}
        </button>
        <a class="button quiet" href={`${prefix}/docs/exporting`}>
          {t('Read more about exports')}
        </a>
      </div>
    </>
  );
}

/** Returns the command for a shell. The account key is read from the profile that `millrace login` saved. */
function commandOf(libraryId: number, { bucket, folder, endpoint, region }: Place): string {
  const given = Object.entries({ endpoint, region }).filter(([, value]) => value !== '');
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  const url = [`s3://${bucket}`, ...partsOf(folder)].join('/');
  const place = bucket === '' ? `library-${libraryId}` : quoted(`${url}${query}`);
  return `millrace export ${place} --library ${libraryId} --url ${location.origin}${prefix}`;
}

function partsOf(folder: string): string[] {
  return folder.split('/').filter((part) => part !== '');
}

function isFolderName(folder: string): boolean {
  return FOLDER.test(partsOf(folder).join('/'));
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function readMetadata(libraryId: number): Promise<{ text: string; isComplete: boolean }> {
  const collections = await readAll(`/library/${libraryId}/collections`);
  const videos = await readAll(`/library/${libraryId}/videos`);
  const text = JSON.stringify({ collections: collections.items, videos: videos.items }, null, 2);
  return { text, isComplete: videos.isComplete };
}

async function readAll(path: string): Promise<{ items: unknown[]; isComplete: boolean }> {
  const items: unknown[] = [];
  for (let page = 1; items.length < MAX_ITEMS; page += 1) {
    const read = await api<{ items: unknown[] }>('GET', `${path}?page=${page}&itemsPerPage=${PAGE_ITEMS}&orderBy=date`);
    items.push(...read.items);
    if (read.items.length < PAGE_ITEMS) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}
