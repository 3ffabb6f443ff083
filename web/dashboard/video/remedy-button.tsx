import type { ComponentChildren } from 'preact';
import type { WhyModel } from '../../../src/api/models/activity.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { mayWrite, session } from '../base/session.ts';
import { Link, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { sentPercent } from '../uploads/state.tsx';
import { addFiles } from '../uploads/uploads.ts';
import type { PartProps } from './part-props.ts';

type RemedyProps = Pick<PartProps, 'libraryId' | 'path' | 'video' | 'onChanged'> & {
  finding: WhyModel['findings'][number];
};

/** Button for the action that fixes a finding, if the user has permission for it. */

export function RemedyButton({
  finding: { remedy },
  libraryId,
  path,
  video,
  onChanged,
}: RemedyProps): ComponentChildren {
  const running = useAction();
  const isOwner = session.value?.role === 'owner';
  const run = (way: string, text: string) =>
    running.run(async () => {
      await api('POST', `${path}/${way}`);
      toast(tr(text));
      onChanged();
    });
  const button = (label: string, way: string, text: string) => (
    <>
      <button type="button" disabled={running.isBusy.value} onClick={() => run(way, text)}>
        {tr(label)}
      </button>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </>
  );
  if (remedy === 'upload' && mayWrite()) return <FileForVideo libraryId={libraryId} video={video} />;
  if (remedy === 'reencode' && mayWrite()) return button('Re-encode', 'reencode', 'Queued for re-encoding.');
  if (remedy === 'retry' && mayWrite())
    return button('Retry', 'resolutions/retry', 'Failed parts queued for encoding.');
  if (remedy === 'open-rules' && isOwner) {
    return (
      <Link class="button" to={{ name: 'settings', libraryId, part: 'rules' }}>
        {t('Open rules')}
      </Link>
    );
  }
  if (remedy === 'open-queue' && isOwner) {
    return (
      <Link class="button" to={{ name: 'system' }}>
        {t('Open queue')}
      </Link>
    );
  }
  return null;
}

/** Lets the user choose a file for a video that has none yet. */
function FileForVideo({ libraryId, video }: Pick<PartProps, 'libraryId' | 'video'>) {
  if (sentPercent(video) !== null) return null;
  return (
    <label class="button primary">
      {t('Choose a file')}
      <input
        type="file"
        class="unseen"
        accept="video/*,audio/*"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])].map((file) => ({ file, handle: null }));
          addFiles({ libraryId, collectionId: '', videoId: video.guid }, files);
        }}
      />
    </label>
  );
}
