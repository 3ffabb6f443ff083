import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PaginationListOfVideoModel, VideoModel } from '../../../src/api/models/video.ts';
import { api, describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { plural } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TagField } from '../parts/tag-field.tsx';
import { toast } from '../parts/toasts.tsx';
import { editOf } from './edit-of.ts';
import { type ListQuery, toApiQuery } from './list-query.ts';
import { clearSelection, selection } from './selection.ts';

type Props = { libraryId: number; wanted: ListQuery; onChanged: () => void; onClose: () => void };

const PER_PAGE = 1_000;
/** Maximum number of videos whose titles are shown for editing. */
const MAX_TITLES = 100;
/** Maximum number of videos in one edit, which the browser makes one by one. */
const MAX_VIDEOS = 10_000;

/** Edits the titles of a few selected videos, and the tags of many. Nothing is sent before Apply. */
export function BulkEdit({ libraryId, wanted, onChanged, onClose }: Props) {
  const videos = useSignal<readonly VideoModel[] | null>(null);
  const titles = useSignal<ReadonlyMap<string, string>>(new Map());
  const added = useSignal<readonly string[]>([]);
  const removed = useSignal<readonly string[]>([]);
  const done = useSignal<number | null>(null);
  const failures = useSignal<readonly string[]>([]);
  useEffect(() => {
    loadSelected(libraryId, wanted).then(
      (found) => (videos.value = found),
      (reason: unknown) => (failures.value = [describeError(reason)]),
    );
  }, []);
  const found = videos.value ?? [];
  const apply = async () => {
    const edits = found.flatMap((video) => {
      const body = editOf(video, { title: titles.value.get(video.guid), added: added.value, removed: removed.value });
      return body === null ? [] : [{ video, body }];
    });
    done.value = 0;
    const failed: string[] = [];
    for (const { video, body } of edits) {
      await api('POST', `/library/${libraryId}/videos/${video.guid}`, body).catch((reason: unknown) =>
        failed.push(`${video.title}: ${describeError(reason)}`),
      );
      done.value += 1;
    }
    done.value = null;
    failures.value = failed;
    onChanged();
    if (failed.length > 0) return;
    toast(t('{0} changed.', plural(edits.length, 'video')));
    clearSelection();
    onClose();
  };
  const isBusy = done.value !== null;
  return (
    <Dialog title={t('Edit {0}', plural(found.length, 'video'))} class="wide" onClose={onClose}>
      <div class="columns tight">
        <TagField id="added" label={t('Add tags')} tags={added.value} onChange={(tags) => (added.value = tags)} />
        <TagField
          id="removed"
          label={t('Remove tags')}
          tags={removed.value}
          onChange={(tags) => (removed.value = tags)}
        />
      </div>
      {found.length > 0 && found.length <= MAX_TITLES && (
        <fieldset class="bulk-titles">
          <legend>{t('Titles')}</legend>
          {found.map(({ guid, title }) => (
            <input
              key={guid}
              dir="auto"
              aria-label={t('Title of {0}', title)}
              maxLength={1_000}
              value={titles.value.get(guid) ?? title}
              onInput={({ currentTarget }) => (titles.value = new Map(titles.value).set(guid, currentTarget.value))}
            />
          ))}
        </fieldset>
      )}
      {found.length > MAX_TITLES && (
        <p class="hint">{t('Select at most {0} videos to edit their titles.', MAX_TITLES)}</p>
      )}
      {failures.value.length > 0 && (
        <ul class="tray-error" role="alert">
          {failures.value.slice(0, MAX_TITLES).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {done.value !== null && <progress value={done.value} max={found.length} aria-label={t('Saving…')} />}
      <div class="row end">
        <button type="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button type="button" class="primary" disabled={isBusy || found.length === 0} onClick={() => void apply()}>
          {isBusy ? t('Saving…') : t('Apply')}
        </button>
      </div>
    </Dialog>
  );
}

/** Loads the selected videos: those of the list by their ids, or all that match its filters. */
async function loadSelected(libraryId: number, wanted: ListQuery): Promise<VideoModel[]> {
  const { value } = selection;
  if (value.kind === 'some') {
    const paths = [...value.ids].map((id) => `/library/${libraryId}/videos/${id}`);
    return Promise.all(paths.map((path) => api<VideoModel>('GET', path)));
  }
  const videos: VideoModel[] = [];
  for (let page = 1; videos.length < MAX_VIDEOS; page += 1) {
    const path = `/library/${libraryId}/videos?${toApiQuery(wanted)}&page=${page}&itemsPerPage=${PER_PAGE}`;
    const { items } = await api<PaginationListOfVideoModel>('GET', path);
    videos.push(...items);
    if (items.length < PER_PAGE) break;
  }
  return videos.slice(0, MAX_VIDEOS);
}
