import { useSignal } from '@preact/signals';
import type { CommentModel, PaginationListOfCommentModel } from '../../../src/api/models/comment.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { may } from '../base/session.ts';
import { clock } from '../base/words.ts';
import { CharCount, Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import type { PartProps } from './part-props.ts';
import { ReviewThread } from './review-thread.tsx';

/** Maximum number of characters of a comment (`src/catalog/comments`). */
const MAX_CHARACTERS = 2_000;
/** A video has at most this number of comments, so one request reads all. */
const MAX_COMMENTS = 1_000;
/** Time between two reads of the comments of others, in ms. */
const REFRESH_MS = 15_000;

const FILTERS = ['open', 'resolved', 'all'] as const;
type Filter = (typeof FILTERS)[number];

/** Comments on the video, each at a time, in the order of the video. */
export function Review({ libraryId, path, video, link }: PartProps) {
  const { value, error, again, look } = useLoaded<PaginationListOfCommentModel>(
    `${path}/comments?itemsPerPage=${MAX_COMMENTS}`,
  );
  useRefresh(look, REFRESH_MS);
  const filter = useSignal<Filter>('open');
  const mayComment = may('videos.comment', libraryId);
  const comments = value.value?.items ?? [];
  const shown = comments.filter((comment) => matches(comment, filter.value));
  return (
    <div class="stack">
      <Panel title={t('Review')}>
        {mayComment && <Composer path={path} link={link} onSaved={again} />}
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        <Markers comments={comments} lengthSec={video.length} onSeek={link.seek} />
        <Filters comments={comments} chosen={filter.value} onChoose={(to) => (filter.value = to)} />
        {value.value !== null && shown.length === 0 && <p class="hint">{emptyText(filter.value, comments.length)}</p>}
        {shown.length > 0 && (
          <ol class="review" aria-label={t('Comments')}>
            {shown.map((comment) => (
              <ReviewThread key={comment.guid} {...{ path, libraryId, comment, link }} onChanged={again} />
            ))}
          </ol>
        )}
      </Panel>
    </div>
  );
}

function matches({ isResolved }: CommentModel, filter: Filter): boolean {
  return filter === 'all' || isResolved === (filter === 'resolved');
}

function emptyText(filter: Filter, total: number): string {
  if (total === 0) return t('No comments yet. Pause where something should change, and write it down.');
  return filter === 'open' ? t('No unresolved comments.') : t('No resolved comments.');
}

type ComposerProps = Pick<PartProps, 'path' | 'link'> & { onSaved: () => void };

function Composer({ path, link, onSaved }: ComposerProps) {
  const text = useSignal('');
  const sending = useAction();
  const time = link.timeSec.value;
  const send = async (event: Event) => {
    event.preventDefault();
    const comment = { text: text.value, time: Math.round(link.timeSec.value * 1000) / 1000 };
    if (!(await sending.run(() => api('POST', `${path}/comments`, comment)))) return;
    text.value = '';
    onSaved();
  };
  return (
    <form class="review-form" onSubmit={(event) => void send(event)}>
      <label>
        {t('Comment')}
        <textarea
          rows={3}
          value={text.value}
          onInput={({ currentTarget }) => {
            // The picture that the comment is about stays visible.
            if (text.value === '') link.pause();
            text.value = currentTarget.value;
          }}
        />
        <CharCount length={text.value.length} max={MAX_CHARACTERS} />
      </label>
      {sending.error.value !== null && <Notice kind="error">{sending.error.value}</Notice>}
      <div class="row end">
        <button
          type="submit"
          class="primary"
          disabled={sending.isBusy.value || text.value.trim() === '' || text.value.length > MAX_CHARACTERS}
        >
          {t('Add comment at {0}', clock(time))}
        </button>
      </div>
    </form>
  );
}

type MarkersProps = { comments: readonly CommentModel[]; lengthSec: number; onSeek: (sec: number) => void };

/** Positions of the open comments along the video. */
function Markers({ comments, lengthSec, onSeek }: MarkersProps) {
  const open = comments.filter(({ isResolved }) => !isResolved);
  if (open.length === 0 || lengthSec <= 0) return null;
  return (
    <div class="review-markers" aria-hidden="true">
      {open.map(({ guid, time, text }) => (
        <button
          key={guid}
          type="button"
          // The list has the same times for keyboards and screen readers.
          tabIndex={-1}
          title={`${clock(time)} ${text.slice(0, 100)}`}
          style={{ left: `${(Math.min(time, lengthSec) / lengthSec) * 100}%` }}
          onClick={() => onSeek(time)}
        />
      ))}
    </div>
  );
}

type FiltersProps = { comments: readonly CommentModel[]; chosen: Filter; onChoose: (to: Filter) => void };

function Filters({ comments, chosen, onChoose }: FiltersProps) {
  const words = { open: t('Unresolved'), resolved: t('Resolved'), all: t('All') };
  return (
    <fieldset class="switch review-filter">
      <legend class="unseen">{t('Show comments')}</legend>
      {FILTERS.map((filter) => (
        <button key={filter} type="button" aria-pressed={filter === chosen} onClick={() => onChoose(filter)}>
          {words[filter]} <span class="count">{comments.filter((comment) => matches(comment, filter)).length}</span>
        </button>
      ))}
    </fieldset>
  );
}
