import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Notice } from './parts.tsx';
import { toast } from './toasts.tsx';

type CancelProps = {
  /** Path of the video. */
  path: string;
  /** Title of the video, if several videos can be cancelled. */
  title?: string;
  onCancelled: () => void;
};

/** Cancels the encoding of a video. The message that follows offers to encode it again. */
export function CancelEncode({ path, title, onCancelled }: CancelProps) {
  const running = useAction();
  const cancel = () =>
    running.run(async () => {
      await api('DELETE', `${path}/encode`);
      onCancelled();
      toast(t('Encoding cancelled.'), {
        label: t('Re-encode'),
        run: () => {
          api('POST', `${path}/reencode`).then(onCancelled, () =>
            toast(t('The video could not be queued for encoding. Its page shows the reason.')),
          );
        },
      });
    });
  return (
    <>
      <button
        type="button"
        disabled={running.isBusy.value}
        aria-label={title === undefined ? undefined : t('Cancel encoding of {0}', title)}
        onClick={cancel}
      >
        {t('Cancel encoding')}
      </button>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </>
  );
}
