import { useSignal } from '@preact/signals';
import type { PaginationListOfCollectionModel } from '../../../src/api/models/collection.ts';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { api } from '../base/api.ts';
import { type Draft, useDraft } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { lazy } from '../base/lazy.tsx';
import { useLoaded } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { CharCount, Panel, SelectField } from '../parts/fields.tsx';
import { TagField } from '../parts/tag-field.tsx';
import { otherMetaTags, readDescription, readTags, toMetaTags } from '../parts/tags.ts';
import { VisibilityField } from '../parts/visibility.tsx';
import { Generate } from './generate.tsx';
import type { PartProps } from './part-props.ts';

const Markdown = lazy(async () => (await import('../parts/markdown.tsx')).Markdown);

const MAX_TITLE_CHARS = 1_000;
const MAX_DESCRIPTION_CHARS = 5_000;
const MAX_CATEGORY_CHARS = 100;

type Fields = {
  title: string;
  description: string;
  tags: readonly string[];
  collectionId: string;
  category: string;
  visibility: VideoModel['visibility'];
  /** Meta tags that no other field shows. */
  others: VideoModel['metaTags'];
};
export type DetailsDraft = Draft<Fields>;

function readFields(video: VideoModel): Fields {
  const { title, collectionId, category, visibility, metaTags } = video;
  return {
    title,
    description: readDescription(video),
    tags: readTags(metaTags),
    collectionId,
    category: category ?? '',
    visibility,
    others: otherMetaTags(metaTags),
  };
}

/** Edits the details of a video. Tags of all kinds are saved together, because the API replaces the complete list. */
export function useDetails({ path, video, onChanged }: PartProps): DetailsDraft {
  return useDraft(readFields(video), {
    name: t('Details'),
    findFault,
    async save({ tags, others, ...edits }) {
      const metaTags = toMetaTags(video.metaTags, { tags, others, description: edits.description });
      await api('POST', path, { ...edits, ...metaTags });
      onChanged();
    },
  });
}

/** Returns why the details cannot be saved. Null if they can. */
function findFault({ title, description, category }: Fields): string | null {
  if (title.trim() === '') return t('The title is empty. Enter one.');
  const limits = [
    [t('Title'), title, MAX_TITLE_CHARS],
    [t('Description'), description, MAX_DESCRIPTION_CHARS],
    [t('Category'), category, MAX_CATEGORY_CHARS],
  ] as const;
  const long = limits.find(([, text, max]) => text.length > max);
  return long === undefined ? null : t('{0}: shorten the text to {1} characters.', long[0], long[2]);
}

type Props = PartProps & { draft: DetailsDraft };

/** Title, description, tags, visibility, collection and category of a video. */
export function Details(props: Props) {
  return mayWrite() ? <DetailsForm {...props} /> : <DetailsText {...props} />;
}

function DetailsForm({ libraryId, path, video, onChanged, draft: { value, change } }: Props) {
  return (
    <section class="stage-form details-form" aria-label={t('Details')}>
      <label>
        {t('Title')}
        <input
          dir="auto"
          class="title-field"
          value={value.title}
          onInput={({ currentTarget }) => change({ title: currentTarget.value })}
        />
        <CharCount length={value.title.length} max={MAX_TITLE_CHARS} />
      </label>
      <DescriptionField text={value.description} onChange={(description) => change({ description })} />
      {video.length > 0 && (
        <Generate path={path} video={video} what={['generateTitle', 'generateDescription']} onChanged={onChanged}>
          {t('Generate title and description')}
        </Generate>
      )}
      <TagField id="tags" label={t('Tags')} tags={value.tags} onChange={(tags) => change({ tags })} />
      <VisibilityField value={value.visibility} onChange={(visibility) => change({ visibility })} />
      <div class="columns tight">
        <CollectionField
          libraryId={libraryId}
          value={value.collectionId}
          onChange={(collectionId) => change({ collectionId })}
        />
        <label>
          {t('Category')}
          <input
            dir="auto"
            value={value.category}
            onInput={({ currentTarget }) => change({ category: currentTarget.value })}
          />
          <CharCount length={value.category.length} max={MAX_CATEGORY_CHARS} />
        </label>
      </div>
    </section>
  );
}

type DescriptionProps = { text: string; onChange: (text: string) => void };

/** The description as Markdown in an editor, or rendered. */
function DescriptionField({ text, onChange }: DescriptionProps) {
  const isPreview = useSignal(false);
  return (
    <div class="description-field">
      <div class="row spread">
        <label for="description">{t('Description')}</label>
        <button
          type="button"
          class="quiet"
          aria-pressed={isPreview.value}
          onClick={() => (isPreview.value = !isPreview.value)}
        >
          {t('Preview')}
        </button>
      </div>
      {isPreview.value ? (
        <div class="description-preview">
          {text.trim() === '' ? <p class="hint">{t('No description')}</p> : <Markdown text={text} />}
        </div>
      ) : (
        <textarea
          id="description"
          dir="auto"
          rows={Math.min(14, Math.max(4, text.split('\n').length + 1))}
          aria-describedby="description-hint"
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      <p class="hint row spread" id="description-hint">
        <span>{t('Markdown: **bold**, *italic*, [link](https://…), lists')}</span>
        <CharCount length={text.length} max={MAX_DESCRIPTION_CHARS} />
      </p>
    </div>
  );
}

type CollectionProps = { libraryId: number; value: string; onChange: (collectionId: string) => void };

function CollectionField({ libraryId, value, onChange }: CollectionProps) {
  const collections = useLoaded<PaginationListOfCollectionModel>(
    `/library/${libraryId}/collections?itemsPerPage=1000&orderBy=name`,
  );
  const found = (collections.value.value?.items ?? []).map(({ guid, name }) => [guid ?? '', name ?? ''] as const);
  return (
    <SelectField
      label={t('Collection')}
      value={value}
      choices={[['', t('No collection')], ...found]}
      onChange={onChange}
    />
  );
}

/** The details as readers see them. */
function DetailsText({ video }: PartProps) {
  const { description, tags, category } = readFields(video);
  return (
    <div class="stage-form">
      <Panel title={t('Description')}>
        {description === '' ? <p class="hint">{t('No description')}</p> : <Markdown text={description} />}
        {tags.length > 0 && (
          <ul class="tags">
            {tags.map((tag) => (
              <li key={tag} dir="auto">
                {tag}
              </li>
            ))}
          </ul>
        )}
        {category !== '' && <p class="hint">{category}</p>}
      </Panel>
    </div>
  );
}
