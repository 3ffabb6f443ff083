import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';

const TYPING_MS = 400;

/** The player with the edited settings, before they are saved. */
export function PlayerPreview({ libraryId, library }: { libraryId: number; library: VideoLibraryModel }) {
  const { value } = useLoaded<PaginationListOfVideoModel>(`/library/${libraryId}/videos?status=4&itemsPerPage=1`);
  const video = value.value?.items[0];
  return (
    <div class="player-preview">
      <Panel title={t('Preview')} hint={t('Shows your changes before you save them.')}>
        {video === undefined ? (
          <p class="hint">{t('Available once the first video is finished.')}</p>
        ) : (
          <Frame libraryId={libraryId} videoId={video.guid} library={library} />
        )}
      </Panel>
    </div>
  );
}

type FrameProps = { libraryId: number; videoId: string; library: VideoLibraryModel };

function Frame({ libraryId, videoId, library }: FrameProps) {
  const signed = useLoaded<{ address: string }>(`/dashboard/libraries/${libraryId}/videos/${videoId}/embed-address`);
  const look = JSON.stringify({
    color: library.PlayerKeyColor ?? '',
    font: library.FontFamily ?? '',
    language: library.UILanguage ?? '',
    captionsSize: String(library.CaptionsFontSize),
    captionsColor: library.CaptionsFontColor ?? '',
    captionsBackground: library.CaptionsBackground ?? '',
    controls: library.Controls ?? '',
    speeds: library.PlaybackSpeeds ?? '',
    compactControls: String(library.EnableCompactControls),
    showHeatmap: String(library.ShowHeatmap),
    saved: library.DateModified,
  });
  const shown = useSignal(look);
  useEffect(() => {
    // Each change loads the player again, so wait until the user pauses.
    const timer = setTimeout(() => (shown.value = look), TYPING_MS);
    return () => clearTimeout(timer);
  }, [look, shown]);
  if (signed.error.value !== null) return <Notice kind="error">{signed.error.value}</Notice>;
  if (signed.value.value === null) return <div class="player waiting" />;
  const address = new URL(signed.value.value.address);
  const held = { autoplay: 'false', preload: 'none', count: 'false' };
  for (const [name, to] of Object.entries({ ...held, ...JSON.parse(shown.value) }))
    address.searchParams.set(name, String(to));
  return (
    <iframe
      key={address.href}
      class="player small"
      title={t('Player preview')}
      src={address.href}
      allow="autoplay; encrypted-media; fullscreen"
    />
  );
}
