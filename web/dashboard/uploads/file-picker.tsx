import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { addChosen } from './add-dropped.ts';
import type { Target } from './upload-item.ts';
import { UploadSettingsDialog } from './upload-settings.tsx';

/** Chooses files, a folder or an address to upload from. */
export function FilePicker({ to }: { to: Target }) {
  const isByAddress = useSignal(false);
  const isWithSettings = useSignal(false);
  return (
    <div class="row">
      <button type="button" onClick={() => (isByAddress.value = true)}>
        {t('From URL')}
      </button>
      <button type="button" onClick={() => (isWithSettings.value = true)}>
        {t('With settings…')}
      </button>
      <Chooser to={to} label={t('Folder')} isFolder />
      <Chooser to={to} label={t('Upload')} isFolder={false} />
      {isWithSettings.value && (
        <UploadSettingsDialog onClose={() => (isWithSettings.value = false)}>
          {(settings) => (
            <Chooser
              to={{ ...to, settings }}
              label={t('Choose files')}
              isFolder={false}
              onChosen={() => (isWithSettings.value = false)}
            />
          )}
        </UploadSettingsDialog>
      )}
      {isByAddress.value && <FetchDialog to={to} onClose={() => (isByAddress.value = false)} />}
    </div>
  );
}

type ChooserProps = { to: Target; label: string; isFolder: boolean; onChosen?: () => void };

function Chooser({ to, label, isFolder, onChosen }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isFolder;
  }, [isFolder]);
  return (
    <label class={isFolder ? 'button' : 'button primary'}>
      {label}
      <input
        ref={input}
        type="file"
        class={isFolder ? 'unseen folder' : 'unseen'}
        {...(!isFolder && { accept: 'video/*,audio/*,.mkv,.ts,.m2ts,.mxf,.mov' })}
        multiple
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = '';
          void addChosen(to, files);
          onChosen?.();
        }}
      />
    </label>
  );
}

function FetchDialog({ to, onClose }: { to: Target; onClose: () => void }) {
  const url = useSignal('');
  const title = useSignal('');
  const fetching = useAction();
  const start = async (event: Event) => {
    event.preventDefault();
    const collection = to.collectionId === '' ? '' : `?collectionId=${to.collectionId}`;
    const body = { url: url.value, ...(title.value !== '' && { title: title.value }) };
    const isDone = await fetching.run(() => api('POST', `/library/${to.libraryId}/videos/fetch${collection}`, body));
    if (!isDone) return;
    toast(t('The service is downloading the file. It will appear in the video list.'));
    onClose();
  };
  return (
    <Dialog title={t('Upload from URL')} onClose={onClose}>
      <form class="stack" onSubmit={start}>
        <TextField
          label={t('File URL')}
          hint={t('The service downloads the file directly, not through your browser.')}
          value={url.value}
          onChange={(text) => (url.value = text)}
        />
        <TextField label={t('Title (optional)')} value={title.value} onChange={(text) => (title.value = text)} />
        {fetching.error.value !== null && <Notice kind="error">{fetching.error.value}</Notice>}
        <div class="row end">
          <button type="submit" class="primary" disabled={url.value === '' || fetching.isBusy.value}>
            {t('Fetch')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
