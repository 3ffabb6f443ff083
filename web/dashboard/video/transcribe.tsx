import { useSignal } from '@preact/signals';
import type { VideoActivityModel } from '../../../src/api/models/activity.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { said, t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { mayWrite, session } from '../base/session.ts';
import { Notice } from '../parts/parts.tsx';
import { isLanguage, LANGUAGE_CODES, LanguageField, LanguagesField } from '../parts/pickers.tsx';
import { toast } from '../parts/toasts.tsx';
import { NoSpeechEngine } from './no-speech-engine.tsx';

type Transcription = NonNullable<VideoActivityModel['transcription']>;

const REFRESH_MS = 3_000;

type Props = { path: string; onChanged: () => void };

/** Transcribes the audio, shows the progress, and cancels it. Calls `onChanged` when an observed run has ended. */
export function Transcribe({ path, onChanged }: Props) {
  const activity = useLoaded<VideoActivityModel>(`${path}/activity`);
  const wasOpen = useSignal(false);
  const language = useSignal('');
  const targets = useSignal<readonly string[]>([]);
  const running = useAction();
  const run = activity.value.value?.transcription ?? null;
  const isOpen = run !== null && isUnderWay(run);
  const isAble = session.value?.engines.speech === true;
  useRefresh(() => {
    if (isOpen) activity.again();
    else if (wasOpen.value) {
      wasOpen.value = false;
      onChanged();
    }
  }, REFRESH_MS);
  if (isOpen && !wasOpen.value) wasOpen.value = true;
  const begin = () =>
    running.run(async () => {
      const query = language.value === '' ? '' : `?language=${encodeURIComponent(language.value)}`;
      await api('POST', `${path}/transcribe${query}`, { targetLanguages: targets.value });
      toast(t('Transcribing the audio in the background.'));
      activity.again();
    });
  const cancel = () =>
    running.run(async () => {
      await api('DELETE', `${path}/transcribe`);
      activity.again();
    });
  return (
    <div class="row ends transcribe">
      {mayWrite() && !isOpen && !isAble && <NoSpeechEngine />}
      {mayWrite() && !isOpen && isAble && (
        <>
          <LanguageField
            label={t('Spoken language')}
            none={t('Detect automatically')}
            code={language.value}
            onChange={(code) => (language.value = code)}
          />
          {session.value?.engines.translation === true && (
            <LanguagesField
              label={t('Translate into')}
              codes={targets.value}
              offered={LANGUAGE_CODES.filter((code) => code !== language.value)}
              onChange={(codes) => (targets.value = codes)}
            />
          )}
          <button
            type="button"
            disabled={running.isBusy.value || !(language.value === '' || isLanguage(language.value))}
            onClick={begin}
          >
            {t('Transcribe')}
          </button>
        </>
      )}
      {run !== null && <Progress run={run} />}
      {mayWrite() && isOpen && (
        <button type="button" class="quiet" disabled={running.isBusy.value} onClick={cancel}>
          {t('Cancel')}
        </button>
      )}
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </div>
  );
}

function isUnderWay({ state }: Transcription): boolean {
  return state === 'waiting' || state === 'running';
}

function Progress({ run }: { run: Transcription }) {
  const { doneSeconds, durationSeconds, reason, state } = run;
  if (!isUnderWay(run)) {
    if (state === 'finished' && reason === '') return null;
    const words = state === 'cancelled' ? t('Transcription cancelled.') : t('Transcription: {0}', said(reason));
    return <span class="hint">{words}</span>;
  }
  if (state === 'waiting' && doneSeconds === 0) return <span class="hint">{t('Transcription queued.')}</span>;
  const share = durationSeconds > 0 ? Math.min(1, doneSeconds / durationSeconds) : 0;
  return (
    <>
      <progress aria-label={t('Transcribed')} max={1} value={share} />
      <span class="hint">{t('{0}% transcribed', Math.round(share * 100))}</span>
    </>
  );
}
