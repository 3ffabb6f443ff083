import type { ComponentChildren } from 'preact';
import type { SmartGenerateModel } from '../../../src/api/models/video.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

type Props = {
  path: string;
  what: readonly (keyof SmartGenerateModel)[];
  onChanged: () => void;
  children: ComponentChildren;
};

/** Has texts made of what is said in the video. What a person wrote since stays. */
export function Generate({ path, what, onChanged, children }: Props) {
  const running = useAction();
  const run = () =>
    running.run(async () => {
      await api('POST', `${path}/smart`, Object.fromEntries(what.map((name) => [name, true])));
      toast(t('It is made in the background, and appears here.'));
      onChanged();
    });
  return (
    <>
      <div class="row">
        <button type="button" disabled={running.isBusy.value} onClick={run}>
          {children}
        </button>
      </div>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </>
  );
}
