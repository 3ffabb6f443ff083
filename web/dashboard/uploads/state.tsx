import type { VideoModel } from '../../../src/api/models/video.ts';
import type { VideoQueueModel } from '../../../src/api/models/video-queue.ts';
import { said, t, tr } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { videoState } from '../base/words.ts';
import { uploads } from './upload-item.ts';

const LOOK_AGAIN_MS = 5_000;

export function StateChip({ video }: { video: VideoModel }) {
  const sent = sentPercent(video);
  if (sent !== null) return <span class="chip busy">{t('Uploading {0} %', sent)}</span>;
  if (isJustSent(video)) return <span class="chip busy">{t('Uploaded')}</span>;
  const { word, tone, isPlayable } = videoState(video);
  const percent = tone === 'busy' && video.encodeProgress > 0 ? ` ${video.encodeProgress} %` : '';
  return (
    <span class={`chip ${tone}`}>
      {tr(word)}
      {percent}
      {tone === 'busy' && isPlayable ? t(' · playable') : ''}
    </span>
  );
}

/** Statuses of a video without a usable file: created, failed, upload failed. */
const WITHOUT_FILE: readonly number[] = [0, 5, 6];
/**
 * States of an upload that continues automatically or that the user can resume. Uploads of other tabs have the state
 * `lost` here.
 */
const SENDING: readonly string[] = ['waiting', 'sending', 'paused', 'cut'];

/** Returns the percentage that this page has sent of a video's file. Null if it sends none. */
export function sentPercent({ guid, status }: Pick<VideoModel, 'guid' | 'status'>): number | null {
  const item = uploads.value.find(({ videoId }) => videoId === guid);
  if (item === undefined || !WITHOUT_FILE.includes(status) || !SENDING.includes(item.state)) return null;
  return Math.floor((100 * item.sentBytes) / Math.max(1, item.sizeBytes));
}

/** Returns whether this page has sent the file, but read the video before the service had it. */
function isJustSent({ guid, status }: VideoModel): boolean {
  return status === 0 && uploads.value.some(({ videoId, state }) => videoId === guid && state === 'done');
}

/** Explains in a sentence why a video is not ready: its place in the queue and time left, or why it failed. */
export function StateNote({ libraryId, video }: { libraryId: number; video: VideoModel }) {
  if (sentPercent(video) !== null) return <>{t('Keep this page open until the file is sent.')}</>;
  if (isJustSent(video)) return null;
  if (video.status === 0) return <>{t('Open it to choose a file.')}</>;
  // The key remounts the note when the state changes, so that a failed video never keeps the sentence of a waiting one.
  return <QueueNote key={`${video.guid} ${video.status}`} libraryId={libraryId} video={video} />;
}

function QueueNote({ libraryId, video }: { libraryId: number; video: VideoModel }) {
  const { value, look } = useLoaded<VideoQueueModel>(`/library/${libraryId}/videos/${video.guid}/queue`);
  const isOver = videoState(video).tone === 'bad';
  useRefresh(() => {
    if (!isOver) look();
  }, LOOK_AGAIN_MS);
  return <>{said(value.value?.message ?? '')}</>;
}
