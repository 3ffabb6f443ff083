import type { WhyModel } from '../../../src/api/models/activity.ts';
import { said, t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { videoState } from '../base/words.ts';
import { sentPercent } from '../uploads/state.tsx';
import type { PartProps } from './part-props.ts';
import { RemedyButton } from './remedy-button.tsx';
import { RenditionProgress } from './rendition-progress.tsx';

const LOOK_AGAIN_MS = 5_000;

/** Findings that explain the state of a video. The activity lists the others. */
const OF_STATE = new Set([
  ...['no-file', 'upload-failed', 'failed', 'encoding', 'cancelled', 'rendition-failed', 'not-playable'],
]);

/** Explains why a video is not ready or not complete, with the action that helps. */
export function StateBanner(props: PartProps) {
  const { video, path } = props;
  const sent = sentPercent(video);
  if (sent !== null) {
    return (
      <section class="state-banner busy" aria-label={t('State')}>
        <p>{t('Your browser is sending the file. Keep this page open.')}</p>
        <progress max={100} value={sent} aria-label={t('Uploading {0} %', sent)} />
      </section>
    );
  }
  // The key remounts the explanation when the state changes, so that it is updated immediately.
  return <Explained key={`${path} ${video.status}`} {...props} />;
}

function Explained({ video, ...props }: PartProps) {
  const { tone } = videoState(video);
  const { value, look } = useLoaded<WhyModel>(`${props.path}/why`);
  useRefresh(() => {
    if (tone !== 'good') look();
  }, LOOK_AGAIN_MS);
  const finding = value.value?.findings.find(({ kind }) => OF_STATE.has(kind));
  if (finding === undefined) return null;
  return (
    <section
      class={`state-banner ${finding.level === 'bad' && tone === 'bad' ? 'bad' : 'busy'}`}
      aria-label={t('State')}
    >
      <p>{said(finding.sentence)}</p>
      <RemedyButton finding={finding} video={video} {...props} />
      {tone === 'busy' && <RenditionProgress path={props.path} />}
    </section>
  );
}
