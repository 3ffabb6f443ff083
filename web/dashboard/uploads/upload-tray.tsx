import { bytes } from '../base/words.ts';
import { Link } from '../parts/parts.tsx';
import { dismiss, pause, resume, type UploadItem, uploads } from './uploads.ts';

/** Files on their way, on every page until each is dismissed. */
export function UploadTray() {
  if (uploads.value.length === 0) return null;
  return (
    <section class="tray" aria-label="Uploads">
      <h2>Uploads</h2>
      <ul>
        {uploads.value.map((item) => (
          <TrayItem key={item.id} item={item} />
        ))}
      </ul>
    </section>
  );
}

function TrayItem({ item }: { item: UploadItem }) {
  const { id, file, state, sentBytes, videoId, libraryId, error } = item;
  return (
    <li>
      <div class="tray-title">
        {videoId === null ? (
          <span>{file.name}</span>
        ) : (
          <Link to={{ name: 'video', libraryId, videoId }}>{file.name}</Link>
        )}
        <span class="hint">{describe(item)}</span>
      </div>
      <progress value={sentBytes} max={Math.max(1, file.size)} aria-label={`Upload of ${file.name}`} />
      {error !== null && <p class="tray-error">{error}</p>}
      <div class="tray-actions">
        {(state === 'sending' || state === 'waiting') && (
          <button type="button" class="quiet" onClick={() => pause(id)}>
            Pause
          </button>
        )}
        {(state === 'paused' || state === 'failed') && (
          <button type="button" class="quiet" onClick={() => resume(id)}>
            {state === 'failed' ? 'Try again' : 'Resume'}
          </button>
        )}
        {state !== 'sending' && (
          <button type="button" class="quiet" aria-label={`Dismiss ${file.name}`} onClick={() => dismiss(id)}>
            Dismiss
          </button>
        )}
      </div>
    </li>
  );
}

function describe({ state, sentBytes, file }: UploadItem): string {
  switch (state) {
    case 'waiting':
      return 'Waiting';
    case 'sending':
      return `${bytes(sentBytes)} of ${bytes(file.size)}`;
    case 'paused':
      return 'Paused';
    case 'done':
      return 'Uploaded';
    case 'failed':
      return 'Failed';
  }
}
