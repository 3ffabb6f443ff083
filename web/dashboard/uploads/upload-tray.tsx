import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { keepStep } from '../base/kept-steps.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { session } from '../base/session.ts';
import { useHeightVariable } from '../base/use-height-variable.ts';
import { bytes, plural, timeLeft, videoState } from '../base/words.ts';
import { Icon } from '../parts/icon.tsx';
import { CopyButton, Link } from '../parts/parts.tsx';
import { PrivateHint } from '../parts/visibility.tsx';
import { embedCode, playerAddress } from './embed-code.ts';
import { StateChip, StateNote } from './state.tsx';
import { changeItem, isUploaded, mayRetry, type UploadItem, uploads } from './upload-item.ts';
import {
  dismiss,
  dismissDone,
  giveFile,
  pause,
  reopenFile,
  replaceFile,
  restoreUploads,
  resume,
  retryAllFailed,
} from './uploads.ts';

const NARROW_PX = 700;
/** Maximum number of rows drawn: a folder of thousands is shown as a count and its first files. */
const MAX_SHOWN_UPLOADS = 30;
/** Maximum number of sent files without a row whose videos are followed, so that the counts become right. */
const MAX_FOLLOWED_UPLOADS = 2;
/** States of uploads that continue without the user. */
const OPEN: readonly UploadItem['state'][] = ['sending', 'waiting', 'cut'];
const RANK: Record<UploadItem['state'], number> = {
  failed: 0,
  lost: 1,
  cut: 2,
  sending: 3,
  paused: 4,
  waiting: 5,
  done: 6,
};

/** Files being uploaded, on every page until each is dismissed. */
export function UploadTray() {
  // On a phone, an open tray would leave no room for the page.
  const isSmall = useSignal(innerWidth < NARROW_PX);
  useEffect(() => void restoreUploads(), []);
  const items = uploads.value;
  const tray = useHeightVariable<HTMLElement>('--tray-px', items.length > 0);
  if (items.length === 0) return null;
  const failed = items.filter(mayRetry).length;
  const open = items.filter(({ state }) => OPEN.includes(state)).length;
  const sent = items.filter(isUploaded).length;
  const sorted = items.toSorted((first, second) => rankOf(first) - rankOf(second));
  const shown = sorted.slice(0, isSmall.value ? 0 : MAX_SHOWN_UPLOADS);
  const followed = sorted
    .slice(shown.length)
    .filter(({ state, isUnusable }) => state === 'done' && isUnusable === undefined)
    .slice(0, MAX_FOLLOWED_UPLOADS);
  return (
    <section ref={tray} class={isSmall.value ? 'tray small' : 'tray'} aria-label={t('Uploads')}>
      <header class="row spread">
        <h2>{open === 0 ? t('Uploads') : t('Uploading {0}', plural(open, 'file'))}</h2>
        <button
          type="button"
          class="quiet"
          aria-expanded={!isSmall.value}
          onClick={() => (isSmall.value = !isSmall.value)}
        >
          {isSmall.value ? t('Show') : t('Hide')}
        </button>
      </header>
      {followed.map(({ id, libraryId, videoId }) =>
        videoId === null ? null : <HiddenVideo key={id} {...{ id, libraryId, videoId }} />,
      )}
      {!isSmall.value && (
        <>
          <div class="row">
            {failed > 1 && (
              <button type="button" class="quiet" onClick={retryAllFailed}>
                {t('Retry {0} failed', failed)}
              </button>
            )}
            {sent > 1 && (
              <button type="button" class="quiet" onClick={dismissDone}>
                {t('Clear {0} uploaded', sent)}
              </button>
            )}
          </div>
          <ul>
            {shown.map((item) => (
              <TrayItem key={item.id} item={item} />
            ))}
          </ul>
          {items.length > shown.length && (
            <p class="hint">{t('and {0}', plural(items.length - shown.length, 'more file'))}</p>
          )}
        </>
      )}
    </section>
  );
}

/** Files that cannot become videos are listed with failed uploads. */
function rankOf({ state, isUnusable = false }: UploadItem): number {
  return isUnusable ? RANK.failed : RANK[state];
}

function TrayItem({ item }: { item: UploadItem }) {
  const { id, name, sizeBytes, sentBytes, videoId, libraryId, error, isNamesake, state } = item;
  return (
    <li data-state={state}>
      <div class="tray-head">
        <p class="tray-title" title={name} dir="auto">
          {videoId === null ? name : <Link to={{ name: 'video', libraryId, videoId }}>{name}</Link>}
        </p>
        {state !== 'sending' && (
          <button type="button" class="quiet" aria-label={t('Dismiss {0}', name)} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {state === 'done' && videoId !== null ? (
        <SentVideo id={id} libraryId={libraryId} videoId={videoId} />
      ) : (
        <>
          <progress value={sentBytes} max={Math.max(1, sizeBytes)} aria-label={t('Upload of {0}', name)} />
          <p class="hint">{describe(item)}</p>
        </>
      )}
      {isNamesake && <p class="hint">{t('The library already has a video with this title.')}</p>}
      {error !== null && (
        <p class="tray-error" role="alert">
          {error}
        </p>
      )}
      <TrayActions item={item} />
    </li>
  );
}

const LOOK_AGAIN_MS = 3_000;

type SentProps = { id: number; libraryId: number; videoId: string };

/** Follows an uploaded video until it is ready, failed or deleted, and notes whether the file was usable. */
function useSentVideo({ id, libraryId, videoId }: SentProps) {
  const { value, isGone, look } = useLoaded<VideoModel>(`/library/${libraryId}/videos/${videoId}`);
  const video = value.value;
  const isOver = isGone.value || (video !== null && ['good', 'bad'].includes(videoState(video).tone));
  useRefresh(() => {
    if (!isOver) look();
  }, LOOK_AGAIN_MS);
  const isUnusable = video !== null && videoState(video).tone === 'bad';
  useEffect(() => {
    if (isOver) changeItem(id, { isUnusable });
  }, [id, isOver, isUnusable]);
  return { video, isGone, isUnusable };
}

/** Follows a video whose upload has no row. */
function HiddenVideo(props: SentProps) {
  useSentVideo(props);
  return null;
}

/** State of an uploaded video until it is ready or failed, with its link and embed code. */
function SentVideo(props: SentProps) {
  const { libraryId, videoId } = props;
  const { video, isGone, isUnusable } = useSentVideo(props);
  if (isGone.value) return <p class="hint">{t('The video no longer exists.')}</p>;
  if (video === null) return <p class="hint">{t('Uploaded')}</p>;
  const address = playerAddress(session.value?.edgeUrl ?? '', libraryId, videoId);
  return (
    <>
      <p class="row">
        <StateChip video={video} />
      </p>
      {videoState(video).tone !== 'good' && (
        <p class={isUnusable ? 'tray-error' : 'hint'}>
          <StateNote libraryId={libraryId} video={video} />
        </p>
      )}
      {!isUnusable && <PrivateHint visibility={video.visibility} />}
      {!isUnusable && (
        <div class="tray-actions">
          <CopyButton label={t('link')} text={address} isNamed />
          <CopyButton
            label={t('embed code')}
            text={embedCode(address, video)}
            isNamed
            onCopied={() => keepStep('embedded', libraryId)}
          />
        </div>
      )}
    </>
  );
}

function TrayActions({ item }: { item: UploadItem }) {
  const { id, state, handle } = item;
  return (
    <div class="tray-actions">
      {(state === 'sending' || state === 'waiting' || state === 'cut') && (
        <button type="button" class="quiet" onClick={() => pause(id)}>
          {t('Pause')}
        </button>
      )}
      {(state === 'paused' || mayRetry(item)) && (
        <button type="button" class="quiet" onClick={() => resume(id)}>
          {state === 'failed' ? t('Try again') : t('Resume')}
        </button>
      )}
      {state === 'lost' && handle !== null && (
        <button type="button" class="quiet" onClick={() => reopenFile(id)}>
          {t('Continue')}
        </button>
      )}
      {state === 'failed' && !mayRetry(item) && (
        <FileButton label={t('Choose another file')} onFile={(file) => replaceFile(id, file)} />
      )}
      {state === 'lost' && handle === null && (
        <FileButton label={t('Choose file again')} onFile={(file) => giveFile(id, file)} />
      )}
    </div>
  );
}

function FileButton({ label, onFile }: { label: string; onFile: (file: File) => void }) {
  return (
    <label class="button quiet">
      {label}
      <input
        type="file"
        class="unseen"
        onChange={({ currentTarget: { files } }) => {
          const [file] = files ?? [];
          if (file !== undefined) onFile(file);
        }}
      />
    </label>
  );
}

function describe({ state, sentBytes, sizeBytes, bytesPerSec }: UploadItem): string {
  switch (state) {
    case 'waiting':
      return t('Waiting');
    case 'sending':
      return bytesPerSec < 1
        ? t('{0} of {1}', bytes(sentBytes), bytes(sizeBytes))
        : `${bytes(bytesPerSec)}/s · ${timeLeft((sizeBytes - sentBytes) / bytesPerSec)}`;
    case 'paused':
      return t('Paused');
    case 'cut':
      return t('Waiting for the service');
    case 'lost':
      return t('Interrupted');
    case 'done':
      return t('Uploaded');
    case 'failed':
      return t('Failed');
  }
}
