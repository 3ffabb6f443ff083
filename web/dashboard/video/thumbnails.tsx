import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { clock } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';

const CANDIDATES = ['thumbnail_1.jpg', 'thumbnail_2.jpg', 'thumbnail_3.jpg', 'thumbnail_4.jpg', 'thumbnail_5.jpg'];
const QUALITY = 0.92;

/** The video's thumbnail: one of the suggested images, any frame, or a file. */
export function Thumbnails({ libraryId, path, video, onChanged }: PartProps) {
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, video.guid));
  const setting = useAction();
  const set = (query: string, body?: Blob) =>
    setting.run(async () => {
      await api('POST', `${path}/thumbnail${query}`, body);
      toast(t('Thumbnail updated.'));
      onChanged();
    });
  const thumbnail = video.thumbnailUrl;
  const base = play.value.value?.videoPlaylistUrl.replace(/playlist\.m3u8.*$/, '') ?? null;
  return (
    <div class="columns">
      <Panel title={t('Current thumbnail')}>
        {thumbnail === null ? (
          <p class="hint">{t('No thumbnail yet. It is made from the video, or you can upload one.')}</p>
        ) : (
          <img class="thumbnail" src={thumbnail} alt={t('Thumbnail')} />
        )}
        {mayWrite() && (
          <label class="button">
            {t('Upload image')}
            <input
              type="file"
              class="unseen"
              accept="image/jpeg,image/png,image/webp,image/avif"
              onChange={({ currentTarget: { files } }) => {
                const [file] = files ?? [];
                if (file !== undefined) void set('', file);
              }}
            />
          </label>
        )}
        {setting.error.value !== null && <Notice kind="error">{setting.error.value}</Notice>}
      </Panel>
      {mayWrite() && base !== null && video.thumbnailCount > 0 && (
        <Panel title={t('From the video')}>
          <ul class="candidates">
            {CANDIDATES.map((name, index) => (
              <li key={name}>
                <button
                  type="button"
                  aria-label={t('Use image {0}', index + 1)}
                  onClick={() => set(`?thumbnailUrl=${encodeURIComponent(base + name)}`)}
                >
                  <img src={base + name} alt="" loading="lazy" />
                </button>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {mayWrite() && base !== null && video.hasMP4Fallback && (
        <AnyFrame address={fileAddress(base, video.availableResolutions)} onTake={(picture) => set('', picture)} />
      )}
    </div>
  );
}

function fileAddress(base: string, availableResolutions: string): string {
  const heights = availableResolutions
    .split(',')
    .map((rung) => Number.parseInt(rung, 10))
    .filter(Number.isFinite);
  return `${base}play_${Math.max(...heights.filter((height) => height <= 720), Math.min(...heights))}p.mp4`;
}

/** Draws a frame of the MP4 file into an image, which is then sent. */
function AnyFrame({ address, onTake }: { address: string; onTake: (picture: Blob) => void }) {
  const element = useRef<HTMLVideoElement>(null);
  const length = useSignal(1);
  const at = useSignal(0);
  const error = useSignal<string | null>(null);
  const take = () => {
    const { current } = element;
    if (current === null) return;
    const canvas = Object.assign(document.createElement('canvas'), {
      width: current.videoWidth,
      height: current.videoHeight,
    });
    canvas.getContext('2d')?.drawImage(current, 0, 0);
    canvas.toBlob((picture) => (picture === null ? undefined : onTake(picture)), 'image/jpeg', QUALITY);
  };
  return (
    <Panel title={t('Any frame')}>
      <video
        ref={element}
        class="thumbnail"
        src={address}
        crossorigin="anonymous"
        preload="metadata"
        muted
        playsInline
        onLoadedMetadata={({ currentTarget }) => (length.value = currentTarget.duration)}
        onError={() => (error.value = t('The pull zone blocks this page from reading the file.'))}
      />
      <input
        type="range"
        aria-label={t('Frame')}
        min={0}
        max={length.value}
        step={0.04}
        value={at.value}
        onInput={({ currentTarget: { valueAsNumber } }) => {
          at.value = valueAsNumber;
          if (element.current !== null) element.current.currentTime = valueAsNumber;
        }}
      />
      <div class="row spread">
        <span class="hint">{clock(at.value)}</span>
        <button type="button" class="primary" onClick={take}>
          {t('Use this frame')}
        </button>
      </div>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </Panel>
  );
}
