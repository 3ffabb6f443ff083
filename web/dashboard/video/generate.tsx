import type { ComponentChildren } from 'preact';
import type { SmartGenerateModel, VideoModel } from '../../../src/api/models/video.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useRefresh } from '../base/load.ts';
import { session } from '../base/session.ts';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { NoSpeechEngine } from './no-speech-engine.tsx';

/** SmartGenerateStatus values for work in progress. */
const UNDER_WAY: readonly unknown[] = [1, 2];
const LOOK_AGAIN_MS = 2_000;

type Props = {
  path: string;
  video: VideoModel;
  what: readonly (keyof SmartGenerateModel)[];
  onChanged: () => void;
  children: ComponentChildren;
};

/** Generates texts from the video's speech. Later edits by a person are kept. */
export function Generate({ path, video, what, onChanged, children }: Props) {
  const running = useAction();
  const isUnderWay = UNDER_WAY.includes(video.smartGenerateStatus);
  useRefresh(() => {
    if (isUnderWay) onChanged();
  }, LOOK_AGAIN_MS);
  const run = () =>
    running.run(async () => {
      await api('POST', `${path}/smart`, Object.fromEntries(what.map((name) => [name, true])));
      toast(t('Generating in the background. The result will appear here.'));
      onChanged();
    });
  // Captions have the words already.
  const isAble = session.value?.engines.speech === true || video.captions.length > 0;
  if (!isAble && !isUnderWay) return <NoSpeechEngine />;
  return (
    <>
      <div class="row">
        <button type="button" disabled={running.isBusy.value || isUnderWay} onClick={run}>
          {children}
        </button>
        {isUnderWay && <span class="hint">{t('Generating…')}</span>}
      </div>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </>
  );
}
