import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { VisibilityField } from '../parts/visibility.tsx';
import { addChosen } from './add-dropped.ts';
import type { Target } from './upload-item.ts';
import { UploadSettingsDialog } from './upload-settings.tsx';

/** File types that the file dialog offers. Some extensions are listed because browsers have no media type for them. */
const ACCEPTED = 'video/*,audio/*,.mkv,.ts,.m2ts,.mxf,.mov';

/** One menu for every way to upload: files, a folder, a URL, or files with their own settings. */
export function FilePicker({ to }: { to: Target }) {
  const isByAddress = useSignal(false);
  const isWithSettings = useSignal(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const items: readonly MenuItem[] = [
    {
      label: t('Files'),
      hint: t('One or more video or audio files'),
      icon: 'videos',
      onChoose: () => files.current?.click(),
    },
    {
      label: t('Folder'),
      hint: t('Becomes a collection with its name'),
      icon: 'collections',
      onChoose: () => folder.current?.click(),
    },
    {
      label: t('From URL'),
      hint: t('The service downloads the file'),
      icon: 'link',
      onChoose: () => (isByAddress.value = true),
    },
    {
      label: t('With settings…'),
      hint: t('Resolutions, transcription and more'),
      icon: 'settings',
      onChoose: () => (isWithSettings.value = true),
    },
  ];
  return (
    <>
      <Menu label={t('Upload')} items={items} />
      <FileInput input={files} to={to} isFolder={false} />
      <FileInput input={folder} to={to} isFolder />
      {isWithSettings.value && (
        <UploadSettingsDialog onClose={() => (isWithSettings.value = false)}>
          {(chosen) => (
            <label class="button primary">
              {t('Choose files')}
              <input
                type="file"
                class="unseen"
                accept={ACCEPTED}
                multiple
                onChange={({ currentTarget }) => {
                  take(currentTarget, { ...to, ...chosen });
                  isWithSettings.value = false;
                }}
              />
            </label>
          )}
        </UploadSettingsDialog>
      )}
      {isByAddress.value && <FetchDialog to={to} onClose={() => (isByAddress.value = false)} />}
    </>
  );
}

type InputProps = { input: RefObject<HTMLInputElement | null>; to: Target; isFolder: boolean };

function FileInput({ input, to, isFolder }: InputProps) {
  useEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isFolder;
  }, [input, isFolder]);
  return (
    <input
      ref={input}
      type="file"
      hidden
      class={isFolder ? 'folder' : undefined}
      {...(!isFolder && { accept: ACCEPTED })}
      multiple
      onChange={({ currentTarget }) => take(currentTarget, to)}
    />
  );
}

function take(input: HTMLInputElement, to: Target): void {
  const files = [...(input.files ?? [])];
  // Resets the input, so that the same file can be chosen again.
  input.value = '';
  void addChosen(to, files);
}

function FetchDialog({ to, onClose }: { to: Target; onClose: () => void }) {
  const url = useSignal('');
  const title = useSignal('');
  const visibility = useSignal<VideoModel['visibility']>('public');
  const fetching = useAction();
  const start = async (event: Event) => {
    event.preventDefault();
    const collection = to.collectionId === '' ? '' : `?collectionId=${to.collectionId}`;
    const body = { url: url.value, visibility: visibility.value, ...(title.value !== '' && { title: title.value }) };
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
        <VisibilityField value={visibility.value} onChange={(to) => (visibility.value = to)} />
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
