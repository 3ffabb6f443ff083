import { useSignal } from '@preact/signals';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { prefix } from '../base/router.ts';
import { saveAs } from '../base/save-as.ts';
import { TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';

/** Maximum number of videos, or of collections, in a file that a browser assembles. */
const MAX_ITEMS = 50_000;
const PAGE_ITEMS = 1_000;

/** Names of folders in buckets that the command accepts. */
const FOLDER = /^[A-Za-z0-9._/-]{0,200}$/;

type Place = { bucket: string; folder: string; endpoint: string; region: string };
type FieldTexts = { hint?: string; error?: string | null };

/** Builds the command that exports a library, and downloads its metadata. Files are transferred by the command only. */
export function ExportPanel({ libraryId }: { libraryId: number }) {
  const place = useSignal<Place>({ bucket: '', folder: '', endpoint: '', region: '' });
  const saving = useAction();
  const isShort = useSignal(false);
  const isFolder = FOLDER.test(partsOf(place.value.folder).join('/'));
  const field = (name: keyof Place, label: string, { hint, error = null }: FieldTexts = {}) => (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      error={error}
      value={place.value[name]}
      onChange={(to) => (place.value = { ...place.value, [name]: to.trim() })}
    />
  );
  const save = () =>
    saving.run(async () => {
      const { text, isComplete } = await readMetadata(libraryId);
      isShort.value = !isComplete;
      saveAs(`library-${libraryId}.json`, text);
    });
  return (
    <section class="panel stack" data-export>
      <h2>{t('Export')}</h2>
      <p class="hint">
        {t('The command writes originals, captions, thumbnails, metadata, statistics and checksums.')}{' '}
        {t('Run it again to continue, or to add changes. An import restores the library with the same ids.')}
      </p>
      {field('bucket', t('Bucket'), { hint: t('Without a bucket, the command writes into a folder.') })}
      <details>
        <summary>{t('More options')}</summary>
        <div class="stack">
          {field('folder', t('Folder in the bucket'), {
            error: isFolder ? null : t('Use only letters from A to Z, digits and the characters . _ - /, at most 200.'),
          })}
          {field('endpoint', t('S3 endpoint'), { hint: t('Amazon S3 by default.') })}
          {field('region', t('Region'), { hint: t('us-east-1 by default.') })}
        </div>
      </details>
      {isFolder && <CopyField label={t('Command')} text={commandOf(libraryId, place.value)} isWrapped />}
      {place.value.bucket !== '' && (
        <p class="hint">{t('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the keys of the bucket.')}</p>
      )}
      {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
      {isShort.value && <Notice kind="error">{t('The file contains only the first {0} videos.', MAX_ITEMS)}</Notice>}
      <div class="row">
        <button type="button" disabled={saving.isBusy.value} onClick={() => void save()}>
          {t('Download metadata as JSON')}
        </button>
      </div>
    </section>
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
