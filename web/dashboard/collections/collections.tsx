import { useSignal } from '@preact/signals';
import type { CollectionModel, PaginationListOfCollectionModel } from '../../../src/api/models/collection.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { bytes, plural } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, Link, Notice, Pager } from '../parts/parts.tsx';
import { CollectionShare } from './collection-share.tsx';
import { FeedPanel } from './feed-panel.tsx';

const PER_PAGE = 48;

export function Collections({ libraryId }: { libraryId: number }) {
  const page = useSignal(1);
  const path = `/library/${libraryId}/collections`;
  const { value, error, again } = useLoaded<PaginationListOfCollectionModel>(
    `${path}?page=${page.value}&itemsPerPage=${PER_PAGE}&orderBy=name&includeThumbnails=true`,
  );
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('Collections')}</h1>
        {found !== null && <span class="hint">{plural(found.totalItems, 'collection')}</span>}
      </header>
      {mayWrite() && <NewCollection path={path} onMade={again} />}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found?.items.length === 0 && (
        <Empty title={t('No collection yet')}>
          <p>{t('Create one here, or drop a folder on any page to upload it as a collection with the same name.')}</p>
        </Empty>
      )}
      <ul class="grid cards">
        {found?.items.map((one) => (
          <CollectionCard key={one.guid} libraryId={libraryId} path={path} collection={one} onChanged={again} />
        ))}
      </ul>
      {found !== null && <Pager page={page} total={found.totalItems} perPage={PER_PAGE} />}
    </>
  );
}

function NewCollection({ path, onMade }: { path: string; onMade: () => void }) {
  const name = useSignal('');
  const making = useAction();
  const create = async (event: Event) => {
    event.preventDefault();
    if (!(await making.run(() => api('POST', path, { name: name.value })))) return;
    name.value = '';
    onMade();
  };
  return (
    <form class="row new" onSubmit={create}>
      <input
        aria-label={t('Collection name')}
        placeholder={t('Collection name')}
        required
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        {t('Create')}
      </button>
      {making.error.value !== null && <Notice kind="error">{making.error.value}</Notice>}
    </form>
  );
}

type CardProps = { libraryId: number; path: string; collection: CollectionModel; onChanged: () => void };

function CollectionCard({ libraryId, path, collection, onChanged }: CardProps) {
  const { guid, name, videoCount, totalSize, previewImageUrls } = collection;
  const isEdited = useSignal(false);
  const isShared = useSignal(false);
  const covers = (previewImageUrls ?? []).slice(0, 4);
  return (
    <li class="card" data-collection={guid} data-name={name}>
      <Link to={{ name: 'videos', libraryId }} search={`?collection=${guid ?? ''}`} class="card-link">
        <div class={`picture covers n${covers.length}`}>
          {covers.length === 0 && <Icon name="collections" />}
          {covers.map((url) => (
            <img key={url} src={url} alt="" loading="lazy" />
          ))}
        </div>
        <div class="card-text">
          <h2>{name || t('Untitled')}</h2>
          <p class="hint">
            {plural(videoCount, 'video')} · {bytes(totalSize)}
          </p>
        </div>
      </Link>
      {mayWrite() && (
        <div class="card-edit row">
          <button
            type="button"
            class="quiet"
            aria-label={t('Share {0}', name ?? '')}
            onClick={() => (isShared.value = true)}
          >
            {t('Share')}
          </button>
          <button
            type="button"
            class="quiet"
            aria-label={t('Edit {0}', name ?? '')}
            onClick={() => (isEdited.value = true)}
          >
            {t('Edit')}
          </button>
        </div>
      )}
      {isShared.value && (
        <CollectionShare
          path={`${path}/${guid ?? ''}`}
          name={name || t('Untitled')}
          onClose={() => (isShared.value = false)}
        />
      )}
      {isEdited.value && (
        <EditDialog
          path={`${path}/${guid ?? ''}`}
          name={name ?? ''}
          onClose={() => {
            isEdited.value = false;
            onChanged();
          }}
        />
      )}
    </li>
  );
}

function EditDialog({ path, name, onClose }: { path: string; name: string; onClose: () => void }) {
  const text = useSignal(name);
  const saving = useAction();
  const save = async (event: Event) => {
    event.preventDefault();
    if (await saving.run(() => api('POST', path, { name: text.value }))) onClose();
  };
  const remove = async () => {
    if (await saving.run(() => api('DELETE', path))) onClose();
  };
  return (
    <Dialog title={t('Collection {0}', name)} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <label>
          {t('Name')}
          <input value={text.value} required onInput={(event) => (text.value = event.currentTarget.value)} />
        </label>
        <FeedPanel path={`${path}/feed`} />
        {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
        <div class="row spread">
          <button type="button" class="quiet" onClick={remove}>
            {t('Delete collection, keep videos')}
          </button>
          <button type="submit" class="primary">
            {t('Save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
