import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../base/language.ts';
import { bytes } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/parts.tsx';

/** A file that viewers may download. `type` is its media type, or null if a browser may be unable to play it. */
export type Download = { name: string; url: string; type: string | null };

type DownloadsProps = { libraryId: number; files: readonly Download[]; isEncoding: boolean };

/** Buttons that download the files of a video. MP4 files exist once its encoding has finished. */
export function Downloads({ libraryId, files, isEncoding }: DownloadsProps) {
  return (
    <Panel title={t('Downloads')}>
      {files.length === 0 && isEncoding && <p class="hint">{t('Available when encoding is done.')}</p>}
      {files.length === 0 && !isEncoding && (
        <div class="row">
          <span class="hint">{t('No file can be downloaded.')}</span>
          <Link class="button" to={{ name: 'settings', libraryId, part: 'encoding' }}>
            {t('Turn on MP4 files for new videos')}
          </Link>
        </div>
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
