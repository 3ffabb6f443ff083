import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../base/language.ts';
import { bytes } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Icon } from '../parts/icon.tsx';

/** A file that viewers may download. `type` is its media type, or null if a browser may be unable to play it. */
export type Download = { name: string; url: string; type: string | null };

/** Buttons that download the files of a video. */
export function Downloads({ files }: { files: readonly Download[] }) {
  return (
    <Panel title={t('Downloads')}>
      {files.length === 0 && (
        <p class="hint">{t('No file can be downloaded. Turn on MP4 files in the encoding settings.')}</p>
      )}
      <div class="row">
        {files.map((file) => (
          <DownloadButton key={file.url} file={file} />
        ))}
      </div>
    </Panel>
  );
}

/** The edge states the size of a file that it builds on request. Without it, the button has no size. */
function DownloadButton({ file: { name, url } }: { file: Download }) {
  const sizeBytes = useSignal<number | null>(null);
  useEffect(() => {
    const left = new AbortController();
    void readSize(url, left.signal).then((size) => (sizeBytes.value = size));
    return () => left.abort();
  }, [url]);
  const address = new URL(url);
  address.searchParams.set('download', '1');
  return (
    <a class="button" href={address.href} target="_blank" rel="noreferrer">
      <Icon name="down" /> {name}
      {sizeBytes.value !== null && <span class="hint">{bytes(sizeBytes.value)}</span>}
    </a>
  );
}

async function readSize(url: string, signal: AbortSignal): Promise<number | null> {
  const response = await fetch(url, { method: 'HEAD', signal }).catch(() => null);
  const length = response?.ok === true ? response.headers.get('content-length') : null;
  return length === null ? null : Number(length);
}
