import { useSignal } from '@preact/signals';
import type { CommentModel, CommentReplyModel } from '../../../src/api/models/comment.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { nameKey } from '../base/name-key.ts';
import { may } from '../base/session.ts';
import { clock, moment } from '../base/words.ts';
import { CharCount } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import type { PlayerLink } from './player-frame.tsx';

const MAX_CHARACTERS = 2_000;

type Props = { path: string; libraryId: number; comment: CommentModel; link: PlayerLink; onChanged: () => void };

/** A comment with its replies, and the buttons that the reader may use. */
export function ReviewThread({ path, libraryId, comment, link, onChanged }: Props) {
  const replying = useSignal(false);
  const acting = useAction();
  const own = `${path}/comments/${comment.guid}`;
  const isModerator = may('videos.edit', libraryId);
  const act = async (action: () => Promise<unknown>) => {
    const isDone = await acting.run(action);
    if (isDone) onChanged();
    return isDone;
  };
  const resolve = () => void act(() => api('POST', own, { isResolved: !comment.isResolved }));
  const reply = async (text: string) => {
    const isSent = await act(() => api('POST', `${path}/comments`, { text, parentId: comment.guid }));
    if (isSent) replying.value = false;
  };
  const time = clock(comment.time);
  return (
    <li class={comment.isResolved ? 'review-thread resolved' : 'review-thread'}>
      <div class="row">
        <button
          type="button"
          class="quiet review-time"
          aria-label={t('Go to {0}', time)}
          onClick={() => {
            link.seek(comment.time);
            link.frame.current?.scrollIntoView({ block: 'nearest' });
          }}
        >
          {time}
        </button>
        {comment.isResolved && <span class="chip good">{t('Resolved by {0}', comment.resolvedBy ?? '')}</span>}
      </div>
      <Message {...{ path, isModerator, onChanged }} message={comment} mayDelete={maysDelete(comment, isModerator)}>
        {(comment.isOwn || isModerator) && (
          <button type="button" class="quiet" disabled={acting.isBusy.value} onClick={resolve}>
            {comment.isResolved ? t('Reopen') : t('Resolve')}
          </button>
        )}
        {may('videos.comment', libraryId) && (
          <button type="button" class="quiet" onClick={() => (replying.value = !replying.value)}>
            {t('Reply')}
          </button>
        )}
      </Message>
      {comment.replies.length > 0 && (
        <ul class="review-replies" aria-label={t('Replies')}>
          {comment.replies.map((one) => (
            <li key={one.guid}>
              <Message {...{ path, onChanged }} message={one} mayDelete={one.isOwn || isModerator} />
            </li>
          ))}
        </ul>
      )}
      {replying.value && (
        <Editor
          label={t('Reply')}
          text=""
          button={t('Send reply')}
          isBusy={acting.isBusy.value}
          onSave={(text) => void reply(text)}
          onCancel={() => (replying.value = false)}
        />
      )}
      {acting.error.value !== null && <Notice kind="error">{acting.error.value}</Notice>}
    </li>
  );
}

/** Authors may not delete replies of others with their comment. */
function maysDelete({ isOwn, replies }: CommentModel, isModerator: boolean): boolean {
  return isModerator || (isOwn && replies.every((reply) => reply.isOwn));
}

/** Returns the name of an author. A key without a name is shown in words. */
function nameAuthor({ authorKind, authorName }: CommentReplyModel): string {
  return authorKind === 'key' ? nameKey(authorName) : authorName;
}

type MessageProps = {
  path: string;
  message: CommentReplyModel;
  mayDelete: boolean;
  onChanged: () => void;
  children?: preact.ComponentChildren;
};

function Message({ path, message, mayDelete, onChanged, children }: MessageProps) {
  const editing = useSignal(false);
  const acting = useAction();
  const own = `${path}/comments/${message.guid}`;
  const act = async (action: () => Promise<unknown>) => {
    if (!(await acting.run(action))) return;
    editing.value = false;
    onChanged();
  };
  return (
    <div class="review-message">
      <p class="hint">
        <strong dir="auto">{nameAuthor(message)}</strong>
        {message.authorKind === 'guest' && <span class="chip">{t('Not verified')}</span>}
        <span>{moment(message.dateCreated)}</span>
        {message.dateEdited !== null && <span>{t('edited')}</span>}
      </p>
      {editing.value ? (
        <Editor
          label={t('Comment')}
          text={message.text}
          button={t('Save')}
          isBusy={acting.isBusy.value}
          onSave={(text) => void act(() => api('POST', own, { text }))}
          onCancel={() => (editing.value = false)}
        />
      ) : (
        <p class="review-text" dir="auto">
          {message.text}
        </p>
      )}
      <div class="row">
        {children}
        {message.isOwn && !editing.value && (
          <button type="button" class="quiet" onClick={() => (editing.value = true)}>
            {t('Edit')}
          </button>
        )}
        {mayDelete && (
          <button
            type="button"
            class="quiet"
            disabled={acting.isBusy.value}
            onClick={() => void act(() => api('DELETE', own))}
          >
            {t('Delete')}
          </button>
        )}
      </div>
      {acting.error.value !== null && <Notice kind="error">{acting.error.value}</Notice>}
    </div>
  );
}

type EditorProps = {
  label: string;
  text: string;
  button: string;
  isBusy: boolean;
  onSave: (text: string) => void;
  onCancel: () => void;
};

function Editor({ label, text, button, isBusy, onSave, onCancel }: EditorProps) {
  const typed = useSignal(text);
  return (
    <form
      class="review-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(typed.value);
      }}
    >
      <label>
        {label}
        <textarea rows={2} value={typed.value} onInput={({ currentTarget }) => (typed.value = currentTarget.value)} />
        <CharCount length={typed.value.length} max={MAX_CHARACTERS} />
      </label>
      <div class="row end">
        <button type="button" onClick={onCancel}>
          {t('Cancel')}
        </button>
        <button
          type="submit"
          class="primary"
          disabled={isBusy || typed.value.trim() === '' || typed.value.length > MAX_CHARACTERS}
        >
          {button}
        </button>
      </div>
    </form>
  );
}
