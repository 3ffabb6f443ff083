import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { t } from '../base/language.ts';
import { clock, day, plural, videoState } from '../base/words.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/parts.tsx';
import { VisibilityBadge, VisibilityMark } from '../parts/visibility.tsx';
import { StateChip, StateNote } from '../uploads/state.tsx';
import { dragVideo } from './collection-drop.tsx';
import { RowFacts } from './columns.tsx';
import { isSelected } from './selection.ts';

export type ItemProps = {
  libraryId: number;
  /** Position in the complete list. */
  index: number;
  video: VideoModel;
  maySelect: boolean;
  onTurn: (isRange: boolean) => void;
};

/** A video in the grid. */
export function Card({ libraryId, index, video, ...choice }: ItemProps) {
  const isChosen = isSelected(video.guid);
  return (
    <li class={isChosen ? 'card chosen' : 'card'} data-index={index} {...(choice.maySelect && dragVideo(video.guid))}>
      <Link to={{ name: 'video', libraryId, videoId: video.guid }} class="card-link">
        <Thumbnail video={video} />
        <div class="card-text">
          <h2 dir="auto">{video.title}</h2>
          <p class="hint">
            {isSettled(video) ? (
              `${day(video.dateUploaded)} · ${plural(video.views, 'view')}`
            ) : (
              <StateNote libraryId={libraryId} video={video} />
            )}
          </p>
          <StateChip video={video} />
        </div>
      </Link>
      {choice.maySelect && <Choose video={video} {...choice} />}
    </li>
  );
}

/** A video as a row of the list. */
export function Row({ libraryId, index, video, ...choice }: ItemProps) {
  const isChosen = isSelected(video.guid);
  return (
    <li
      class={isChosen ? 'video-row chosen' : 'video-row'}
      data-index={index}
      {...(choice.maySelect && dragVideo(video.guid))}
    >
      {choice.maySelect && <Choose video={video} {...choice} />}
      <Link to={{ name: 'video', libraryId, videoId: video.guid }} class="row-link">
        <Thumbnail video={video} />
        <span class="row-title" dir="auto">
          {video.visibility !== 'public' && <VisibilityMark visibility={video.visibility} />}
          {video.title}
        </span>
        <RowFacts video={video} />
      </Link>
    </li>
  );
}

/** Returns whether a video needs no explanation of its state. */
function isSettled(video: VideoModel): boolean {
  return videoState(video).tone === 'good';
}

function Choose({ video, onTurn }: Pick<ItemProps, 'video' | 'onTurn'>) {
  return (
    <input
      type="checkbox"
      class="choose"
      aria-label={t('Select {0}', video.title)}
      checked={isSelected(video.guid)}
      onClick={(event) => onTurn(event.shiftKey)}
    />
  );
}

/** Delay before the preview is loaded, so that a pointer that only passes over a card does not load it. */
const HOVER_MS = 350;

/** The thumbnail, animated while the pointer rests on it. */
function Thumbnail({ video }: { video: VideoModel }) {
  const isMoving = useSignal(false);
  /** URLs of pictures that could not be loaded. */
  const missing = useSignal<readonly string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const still = hasThumbnail(video) ? video.thumbnailUrl : null;
  const moving = video.hasHighQualityPreview === true ? previewOf(video) : null;
  const wanted = isMoving.value ? [moving, still] : [still];
  const url = wanted.find((one) => one !== null && !missing.value.includes(one)) ?? null;
  const rest = () => {
    clearTimeout(timer.current);
    isMoving.value = false;
  };
  return (
    <div
      class="picture"
      onPointerEnter={() => {
        timer.current = setTimeout(() => {
          isMoving.value = true;
        }, HOVER_MS);
      }}
      onPointerLeave={rest}
    >
      {url !== null ? (
        <img
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => (missing.value = [...missing.value, url])}
        />
      ) : (
        <Icon name={video.length > 0 && video.width === 0 ? 'sound' : 'videos'} />
      )}
      <VisibilityBadge visibility={video.visibility} />
      {video.length > 0 && <span class="length">{clock(video.length)}</span>}
    </div>
  );
}

/**
 * Returns the URL of the preview in the folder of a thumbnail. Null if the thumbnail's token does not cover the
 * preview.
 */
function previewOf({ thumbnailUrl, thumbnailFileName }: VideoModel): string | null {
  if (thumbnailUrl === null || thumbnailFileName === null || thumbnailUrl.includes('?')) return null;
  return thumbnailUrl.replace(thumbnailFileName, 'preview.webp');
}

export function hasThumbnail({ thumbnailUrl, status, thumbnailCount }: VideoModel): boolean {
  return thumbnailUrl !== null && (status === 3 || status === 4 || status === 8 || thumbnailCount > 0);
}
