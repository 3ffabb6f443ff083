import type { VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import type {
  StatusModelOfVideoResolutionsInfoModel,
  StatusModelOfVideoStorageSizeModel,
} from '../../../src/api/models/video-storage.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { amount, bytes } from '../base/words.ts';
import { Panel, Table } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';

type Loaded = {
  files: ReturnType<typeof useLoaded<StatusModelOfVideoResolutionsInfoModel>>;
  sizes: ReturnType<typeof useLoaded<StatusModelOfVideoStorageSizeModel>>;
};

/** The stored files of a video with exact sizes, and the URLs that viewers request. */
export function Files({ libraryId, path, video }: PartProps) {
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, video.guid));
  const loaded: Loaded = {
    files: useLoaded<StatusModelOfVideoResolutionsInfoModel>(`${path}/resolutions`),
    sizes: useLoaded<StatusModelOfVideoStorageSizeModel>(`${path}/storage`),
  };
  const playlist = play.value.value?.videoPlaylistUrl ?? '';
  const base = playlist.replace(/playlist\.m3u8.*$/, '');
  const mp4 = loaded.files.value.value?.data?.mp4Resolutions ?? [];
  const error = play.error.value ?? loaded.files.error.value ?? loaded.sizes.error.value;
  return (
    <div class="columns">
      {error !== null && <Notice kind="error">{error}</Notice>}
      <Panel title={t('URLs')}>
        <CopyField label={t('HLS playlist')} text={playlist} />
        {video.thumbnailUrl !== null && <CopyField label={t('Thumbnail')} text={video.thumbnailUrl} />}
        {mp4.map(({ resolution, path: name }) => (
          <div key={resolution} class="stack tight">
            <CopyField label={t('MP4 {0}', resolution ?? '')} text={`${base}${name ?? ''}`} />
            <a class="hint" href={`${base}${name ?? ''}`} target="_blank" rel="noreferrer">
              {t('Open MP4 {0}', resolution ?? '')}
            </a>
          </div>
        ))}
      </Panel>
      <Sizes {...loaded} lengthSec={video.length} />
    </div>
  );
}

function Sizes({ sizes, lengthSec }: Loaded & { lengthSec: number }) {
  const data = sizes.value.value?.data;
  if (data == null) return null;
  // A rendition without bytes has not been encoded yet.
  const encoded = Object.entries(data.encoded ?? {}).filter(([, { size }]) => size > 0);
  const rest = REST.filter(([field]) => Number(data[field] ?? 0) > 0);
  const sounds = encoded.filter(([, { resolution }]) => resolution === null).map(([name]) => name);
  return (
    <Panel title={t('Stored')}>
      {encoded.length + rest.length === 0 ? (
        <p class="hint">{t('No files yet.')}</p>
      ) : (
        <Table label={t('Stored')} head={[t('File'), t('Codec'), t('Size'), 'kbit/s']}>
          {encoded.map(([name, { codec, resolution, size }]) => (
            <tr key={name}>
              <th scope="row">
                {resolution ?? (sounds.length > 1 ? t('Audio {0}', sounds.indexOf(name) + 1) : t('Audio'))}
              </th>
              <td>{codec}</td>
              <td>{bytes(size)}</td>
              <td>{lengthSec > 0 ? amount((size * 8) / 1000 / lengthSec) : ''}</td>
            </tr>
          ))}
          {rest.map(([field, label]) => (
            <tr key={field}>
              <th scope="row">{tr(label)}</th>
              <td />
              <td>{bytes(Number(data[field] ?? 0))}</td>
              <td />
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

const REST = [
  ['originals', 'Original'],
  ['thumbnails', 'Thumbnails'],
  ['previews', 'Previews'],
] as const;
