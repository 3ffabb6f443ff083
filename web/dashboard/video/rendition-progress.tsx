import type { VideoActivityModel } from '../../../src/api/models/activity.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { shareOfEach } from './share-of-each.ts';

const LOOK_AGAIN_MS = 2_000;

/** Progress of each rendition while the video is encoded. */
export function RenditionProgress({ path }: { path: string }) {
  const { value, again } = useLoaded<VideoActivityModel>(`${path}/activity`);
  useRefresh(again, LOOK_AGAIN_MS);
  const shares = shareOfEach(value.value?.tasks ?? []);
  if (shares.size === 0) return null;
  return (
    <ul class="shares" aria-label={t('Done')}>
      {[...shares].map(([name, share]) => (
        <li key={name}>
          <span>{name}</span>
          <progress max={1} value={share} aria-label={name} />
          <span class="hint">{Math.floor(share * 100)} %</span>
        </li>
      ))}
    </ul>
  );
}
