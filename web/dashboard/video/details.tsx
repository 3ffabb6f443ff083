import { useSignal } from '@preact/signals';
import type { VideoActivityModel } from '../../../src/api/models/activity.ts';
import type { PaginationListOfCollectionModel } from '../../../src/api/models/collection.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite, session } from '../base/session.ts';
import { videoState } from '../base/words.ts';
import { Panel, SelectField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { embedCode, playerAddress } from './embed-code.ts';
import { Generate } from './generate.tsx';
import type { PartProps } from './part-props.ts';
import { RenditionProgress } from './rendition-progress.tsx';

export function TitleForm({ path, title, onSaved }: { path: string; title: string; onSaved: () => void }) {
  const text = useSignal(title);
  const saving = useAction();
  const save = async (event: Event) => {
    event.preventDefault();
    if (await saving.run(() => api('POST', path, { title: text.value }))) onSaved();
  };
  if (!mayWrite()) return <h1>{title}</h1>;
  return (
    <form class="title" onSubmit={save}>
      <h1 class="unseen">{title}</h1>
      <input
        aria-label={t('Title')}
        value={text.value}
        required
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {text.value !== title && (
        <button type="submit" class="primary">
          {t('Save')}
        </button>
      )}
      {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
    </form>
  );
}

/** Downloads, technical data, tags, and actions of the video. */
export function Details({ libraryId, path, video, onChanged }: PartProps) {
  const rungs = video.availableResolutions.split(',').filter((rung) => rung !== '');
  const address = playerAddress(session.value?.edgeUrl ?? '', libraryId, video.guid);
  return (
    <div class="columns">
      <Panel title={t('Embed')}>
        <CopyField label={t('Embed code')} text={embedCode(address, video)} />
        <CopyField label={t('Link')} text={address} />
        <CopyField label={t('Video ID')} text={video.guid} />
      </Panel>
      <Panel title={t('Renditions')}>
        {rungs.length === 0 ? (
          <p class="hint">{t('No renditions yet. They appear here as they are encoded.')}</p>
        ) : (
          <ul class="tags">
            {rungs.map((rung) => (
              <li key={rung}>{rung}</li>
            ))}
          </ul>
        )}
        {videoState(video).tone === 'busy' && <RenditionProgress path={path} />}
        <dl>
          <dt>{t('Codecs')}</dt>
          <dd>{video.outputCodecs}</dd>
          <dt>{t('Source')}</dt>
          <dd>
            {video.width} × {video.height}, {video.framerate.toFixed(2)} {t('fps')}
          </dd>
          <dt>{t('MP4 files')}</dt>
          <dd>{video.hasMP4Fallback ? t('Yes') : t('No')}</dd>
          <Loudness path={path} />
        </dl>
      </Panel>
      <Place libraryId={libraryId} path={path} video={video} onChanged={onChanged} />
      <Tags key={JSON.stringify(video.metaTags)} path={path} video={video} onChanged={onChanged} />
      {mayWrite() && <EncodeActions path={path} video={video} onChanged={onChanged} />}
    </div>
  );
}

/** Measured loudness of each audio track. */
function Loudness({ path }: { path: string }) {
  const { value } = useLoaded<VideoActivityModel>(`${path}/activity`);
  const measured = (value.value?.loudness ?? []).filter(({ integratedLufs }) => integratedLufs !== null);
  if (measured.length === 0) return null;
  return (
    <>
      <dt>{t('Loudness')}</dt>
      {measured.map(({ name, integratedLufs, rangeLu, truePeakDbtp, gainDb }) => (
        <dd key={name}>
          {measured.length > 1 && `${name}: `}
          {t('{0} LUFS, range {1} LU, peak {2} dBTP', integratedLufs ?? '', rangeLu ?? '', truePeakDbtp ?? '')}
          {gainDb !== 0 && t('; changed by {0} dB', gainDb)}
        </dd>
      ))}
    </>
  );
}

/** The video's collection and description. */
function Place({ libraryId, path, video, onChanged }: TagsProps & { libraryId: number }) {
  const collections = useLoaded<PaginationListOfCollectionModel>(
    `/library/${libraryId}/collections?itemsPerPage=1000&orderBy=name`,
  );
  const moving = useAction();
  const move = (collectionId: string) =>
    moving.run(async () => {
      await api('POST', path, { collectionId });
      onChanged();
    });
  const found = (collections.value.value?.items ?? []).map(({ guid, name }) => [guid ?? '', name ?? ''] as const);
  const here = found.find(([guid]) => guid === video.collectionId)?.[1];
  return (
    <Panel title={t('Details')}>
      {mayWrite() ? (
        <SelectField
          label={t('Collection')}
          value={video.collectionId}
          choices={[['', t('No collection')], ...found]}
          onChange={move}
        />
      ) : (
        <p>{here ?? t('No collection')}</p>
      )}
      {moving.error.value !== null && <Notice kind="error">{moving.error.value}</Notice>}
      {(video.description ?? '') !== '' && <p>{video.description}</p>}
      {mayWrite() && video.length > 0 && (
        <Generate path={path} video={video} what={['generateTitle', 'generateDescription']} onChanged={onChanged}>
          {t('Generate title and description')}
        </Generate>
      )}
    </Panel>
  );
}

type TagsProps = Pick<PartProps, 'path' | 'video' | 'onChanged'>;

function Tags({ path, video, onChanged }: TagsProps) {
  const property = useSignal('');
  const value = useSignal('');
  const saving = useAction();
  const tags = video.metaTags.map((tag) => ({ property: tag.property ?? '', value: tag.value ?? '' }));
  const save = async (metaTags: readonly object[]) => {
    if (await saving.run(() => api('POST', path, { metaTags }))) onChanged();
  };
  const add = (event: Event) => {
    event.preventDefault();
    void save([...tags, { property: property.value, value: value.value }]);
  };
  return (
    <Panel title={t('Tags')} hint={t('Use tags to filter lists. The player page also includes them as meta tags.')}>
      <ul class="rows">
        {tags.map((tag, index) => (
          <li key={`${tag.property}=${tag.value}`}>
            <span>
              <strong>{tag.property}</strong> {tag.value}
            </span>
            {mayWrite() && (
              <button type="button" class="quiet" onClick={() => save(tags.filter((_, at) => at !== index))}>
                {t('Remove')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayWrite() && (
        <form class="row" onSubmit={add}>
          <input
            class="tag-field"
            aria-label={t('Tag name')}
            placeholder={t('name')}
            required
            value={property.value}
            onInput={(event) => (property.value = event.currentTarget.value)}
          />
          <input
            class="tag-field"
            aria-label={t('Tag value')}
            placeholder={t('value')}
            value={value.value}
            onInput={(event) => (value.value = event.currentTarget.value)}
          />
          <button type="submit">{t('Add')}</button>
        </form>
      )}
      {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
    </Panel>
  );
}

function EncodeActions({ path, video, onChanged }: TagsProps) {
  const running = useAction();
  const run = (action: string, text: string) =>
    running.run(async () => {
      await api('POST', `${path}/${action}`);
      toast(tr(text));
      onChanged();
    });
  const replace = (file: File | undefined) => {
    if (file === undefined) return;
    void running.run(async () => {
      await api('POST', `${path}/replace`);
      await api('PUT', path, file);
      toast(t('New file uploaded. It replaces the old one once it is encoded.'));
      onChanged();
    });
  };
  return (
    <Panel title={t('Encoding')}>
      <div class="row">
        <button
          type="button"
          disabled={running.isBusy.value}
          onClick={() => run('reencode', 'Queued for re-encoding.')}
        >
          {t('Re-encode')}
        </button>
        <button
          type="button"
          disabled={running.isBusy.value}
          onClick={() => run('resolutions/retry', 'Failed parts queued for encoding.')}
        >
          {t('Retry failed parts')}
        </button>
        {video.status === 4 && (
          <label class="button">
            {running.isBusy.value ? t('Sending…') : t('Replace file')}
            <input
              type="file"
              class="unseen"
              accept="video/*,audio/*"
              onChange={({ currentTarget }) => replace(currentTarget.files?.[0])}
            />
          </label>
        )}
      </div>
      <p class="hint">
        {t('The URL, captions and statistics are kept. The current version plays until the new one is ready.')}
      </p>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </Panel>
  );
}
