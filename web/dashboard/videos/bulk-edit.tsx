import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PaginationListOfVideoModel, VideoModel } from '../../../src/api/models/video.ts';
import { api, describeError } from '../base/api.ts';
import { t, trAll } from '../base/language.ts';
import { plural } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { SelectField } from '../parts/fields.tsx';
import { TagField } from '../parts/tag-field.tsx';
import { toast } from '../parts/toasts.tsx';
import { readVisibility, VISIBILITY_CHOICES } from '../parts/visibility.tsx';
import { type Edit, editOf } from './edit-of.ts';
import { type ListQuery, toApiQuery } from './list-query.ts';
import { clearSelection, selection } from './selection.ts';

type Props = { libraryId: number; wanted: ListQuery; onChanged: () => void; onClose: () => void };

const PER_PAGE = 1_000;
/** Maximum number of videos whose titles are shown for editing. */
const MAX_TITLES = 100;
/** Maximum number of videos in one edit, because the browser sends one request per video. */
const MAX_VIDEOS = 10_000;

/** Edits the titles of a few selected videos, and the tags and visibility of many. Nothing is sent before Apply. */
export function BulkEdit({ libraryId, wanted, onChanged, onClose }: Props) {
  const videos = useSignal<readonly VideoModel[] | null>(null);
  const titles = useSignal<ReadonlyMap<string, string>>(new Map());
  const added = useSignal<readonly string[]>([]);
  const removed = useSignal<readonly string[]>([]);
  /** Empty to keep the visibility of each video. */
  const visibility = useSignal('');
  const done = useSignal<number | null>(null);
  /** Reasons why videos could not be read when the dialog opened. */
  const missing = useSignal<readonly string[]>([]);
  const failures = useSignal<readonly string[]>([]);
  useEffect(() => {
    loadSelected(libraryId, wanted).then(
      (loaded) => {
        videos.value = loaded.videos;
        missing.value = loaded.missing;
      },
      (reason: unknown) => (missing.value = [describeError(reason)]),
    );
  }, []);
  const found = videos.value ?? [];
  const apply = async () => {
    // The fields remain editable while this runs.
    const chosen = readVisibility(visibility.value) ?? undefined;
    const common = { added: added.value, removed: removed.value, visibility: chosen };
    const typedTitles = titles.value;
    done.value = 0;
    let changed = 0;
    const failed: string[] = [];
    for (const { guid, title } of found) {
      const typed = typedTitles.get(guid);
      const edit = { title: typed === title ? undefined : typed, ...common };
      try {
        if (await editNow(`/library/${libraryId}/videos/${guid}`, edit)) changed += 1;
      } catch (reason) {
        failed.push(`${title}: ${describeError(reason)}`);
      }
      done.value += 1;
    }
    done.value = null;
    failures.value = failed;
    onChanged();
    if (failed.length > 0) return;
    toast(t('{0} changed.', plural(changed, 'video')));
    clearSelection();
    onClose();
  };
  const isBusy = done.value !== null;
  return (
    <Dialog title={t('Edit {0}', plural(found.length, 'video'))} class="wide" onClose={onClose}>
      <CommonFields {...{ added, removed, visibility }} />
      {found.length > 0 && found.length <= MAX_TITLES && (
        <fieldset class="bulk-titles">
          <legend>{t('Titles')}</legend>
          {found.map(({ guid, title }) => (
            <input
              key={guid}
              dir="auto"
              aria-label={t('Title of {0}', title)}
              value={titles.value.get(guid) ?? title}
              onInput={({ currentTarget }) => (titles.value = new Map(titles.value).set(guid, currentTarget.value))}
            />
          ))}
        </fieldset>
      )}
      {found.length > MAX_TITLES && (
        <p class="hint">{t('Select at most {0} videos to edit their titles.', MAX_TITLES)}</p>
      )}
      <Failures lines={[...missing.value, ...failures.value]} />
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

type CommonProps = {
  added: Signal<readonly string[]>;
  removed: Signal<readonly string[]>;
  visibility: Signal<string>;
};

/** Fields that apply to all selected videos. */
function CommonFields({ added, removed, visibility }: CommonProps) {
  return (
    <>
      <div class="columns tight">
        <TagField id="added" label={t('Add tags')} tags={added.value} onChange={(tags) => (added.value = tags)} />
        <TagField
          id="removed"
          label={t('Remove tags')}
          tags={removed.value}
          onChange={(tags) => (removed.value = tags)}
        />
      </div>
      <SelectField
        label={t('Visibility')}
        value={visibility.value}
        choices={[['', t('Keep as it is')], ...trAll(VISIBILITY_CHOICES)]}
        onChange={(to) => (visibility.value = to)}
      />
    </>
  );
}

function Failures({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="tray-error" role="alert">
      {lines.slice(0, MAX_TITLES).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Edits a video as it is now: others may have edited it since the dialog opened. Returns whether it changed. */
async function editNow(path: string, edit: Edit): Promise<boolean> {
  const keepsAll = edit.title === undefined && edit.visibility === undefined;
  if (keepsAll && edit.added.length === 0 && edit.removed.length === 0) return false;
  const body = editOf(await api<VideoModel>('GET', path), edit);
  if (body !== null) await api('POST', path, body);
  return body !== null;
}

type Selected = { videos: VideoModel[]; missing: string[] };

/** Loads the selected videos: those of the list by their ids, or all that match its filters. */
async function loadSelected(libraryId: number, wanted: ListQuery): Promise<Selected> {
  const { value } = selection;
  if (value.kind === 'some') {
    const ids = [...value.ids];
    const results = await Promise.allSettled(
      ids.map((id) => api<VideoModel>('GET', `/library/${libraryId}/videos/${id}`)),
    );
    return {
      videos: results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
      missing: results.flatMap((one, place) =>
        one.status === 'rejected' ? [`${ids[place]}: ${describeError(one.reason)}`] : [],
      ),
    };
  }
  const videos: VideoModel[] = [];
  for (let page = 1; videos.length < MAX_VIDEOS; page += 1) {
    const path = `/library/${libraryId}/videos?${toApiQuery(wanted)}&page=${page}&itemsPerPage=${PER_PAGE}`;
    const { items } = await api<PaginationListOfVideoModel>('GET', path);
    videos.push(...items);
    if (items.length < PER_PAGE) break;
  }
  return { videos: videos.slice(0, MAX_VIDEOS), missing: [] };
}
