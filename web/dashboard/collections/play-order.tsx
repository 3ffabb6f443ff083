import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { VideoOrderModel } from '../../../src/api/models/video-order.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Panel, SelectField } from '../parts/fields.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/parts.tsx';

type Order = VideoOrderModel['order'];
type Video = VideoOrderModel['videos'][number];

const ORDERS = [
  ['oldest', 'Oldest first'],
  ['newest', 'Newest first'],
  ['title', 'By title'],
  ['manual', 'As arranged here'],
] as const;

/** The order in which share pages play the videos of a collection. */
export function PlayOrder({ path }: { path: string }) {
  const { value, error } = useLoaded<VideoOrderModel>(path);
  return (
    <Panel title={t('Play order')} hint={t('Share pages play the videos in this order.')}>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {value.value !== null && <Editor path={path} stored={value.value} onSaved={(saved) => (value.value = saved)} />}
    </Panel>
  );
}

type EditorProps = { path: string; stored: VideoOrderModel; onSaved: (saved: VideoOrderModel) => void };

function Editor({ path, stored, onSaved }: EditorProps) {
  const isSaved = useSignal(false);
  const { value, isDirty, change, save, saving } = useDraft(stored, {
    name: t('Play order'),
    async save(_, { order, videos }) {
      const arranged = order === 'manual' ? { videoIds: videos.map(({ guid }) => guid) } : {};
      onSaved(await api<VideoOrderModel>('POST', path, { order, ...arranged }));
      isSaved.value = true;
    },
  });
  const edit = (edits: Partial<VideoOrderModel>) => {
    change(edits);
    isSaved.value = false;
  };
  return (
    <>
      <SelectField
        label={t('Order')}
        value={value.order}
        choices={trAll(ORDERS)}
        // The options are defined in the list above.
        onChange={(order) => edit({ order: order as Order })}
      />
      {value.order === 'manual' && <Arranged videos={value.videos} onChange={(videos) => edit({ videos })} />}
      {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
      <div class="row">
        <button type="button" class="primary" disabled={!isDirty || saving.isBusy.value} onClick={() => void save()}>
          {t('Save order')}
        </button>
        <span role="status">{isSaved.value && t('Order saved.')}</span>
      </div>
    </>
  );
}

type ArrangedProps = { videos: readonly Video[]; onChange: (videos: Video[]) => void };
type Focused = { guid: string; step: -1 | 1 };

/** The videos in a list that can be rearranged by dragging or with buttons. */
function Arranged({ videos, onChange }: ArrangedProps) {
  const dragged = useSignal<string | null>(null);
  const focused = useSignal<Focused | null>(null);
  const said = useSignal('');
  const move = (from: number, to: number) => {
    const moved = videos[from];
    if (moved === undefined || to < 0 || to >= videos.length) return;
    onChange(videos.toSpliced(from, 1).toSpliced(to, 0, moved));
    said.value = t('{0} is now number {1}.', moved.title, `${to + 1}`);
  };
  const dragOver = (over: number) => {
    const from = videos.findIndex(({ guid }) => guid === dragged.value);
    if (from !== -1 && from !== over) move(from, over);
  };
  return (
    <>
      <ol class="arranged" aria-label={t('Videos in order')}>
        {videos.map((video, index) => (
          <li
            key={video.guid}
            draggable
            class={dragged.value === video.guid ? 'dragged' : ''}
            onDragStart={(event) => {
              // Firefox starts no drag without data.
              event.dataTransfer?.setData('text/plain', video.title);
              dragged.value = video.guid;
            }}
            onDrop={(event) => event.preventDefault()}
            onDragEnd={() => (dragged.value = null)}
            onDragOver={(event) => {
              event.preventDefault();
              dragOver(index);
            }}
          >
            <span class="arranged-title">{video.title || t('Untitled')}</span>
            <MoveButton {...{ video, at: index, focused, step: -1, isEnd: index === 0, move }} />
            <MoveButton {...{ video, at: index, focused, step: 1, isEnd: index === videos.length - 1, move }} />
          </li>
        ))}
      </ol>
      <p class="hint" role="status">
        {said.value}
      </p>
    </>
  );
}

type MoveProps = Focused & {
  video: Video;
  at: number;
  isEnd: boolean;
  focused: Signal<Focused | null>;
  move: (from: number, to: number) => void;
};

/** A button that moves a video by one position. It keeps the focus, which the browser removes from a moved element. */
function MoveButton({ video, at, step, isEnd, focused, move }: Omit<MoveProps, 'guid'>) {
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focused.value?.guid !== video.guid || focused.value.step !== step) return;
    focused.value = null;
    element.current?.focus();
  });
  const press = () => {
    if (isEnd) return;
    focused.value = { guid: video.guid, step };
    move(at, at + step);
  };
  const label = t(step === -1 ? 'Move {0} up' : 'Move {0} down', video.title);
  return (
    <button
      ref={element}
      type="button"
      class="quiet icon-button"
      aria-label={label}
      aria-disabled={isEnd}
      onClick={press}
    >
      <Icon name={step === -1 ? 'up' : 'down'} />
    </button>
  );
}
