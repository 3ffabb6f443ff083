import { useSignal } from '@preact/signals';
import type { LiveStreamModel } from '../../../src/api/models/live-stream.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { saveAs } from '../base/save-as.ts';
import { Panel } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { toast } from '../parts/toasts.tsx';
import { ON_AIR, PREVIEW } from './stream-state.ts';

type Props = { path: string; stream: LiveStreamModel; onChanged: () => void };

/** Connection data for an encoder: URLs and the key, also as a QR code for phones and as a file for OBS. */
export function Connect({ path, stream, onChanged }: Props) {
  const isShown = useSignal(false);
  const turning = useAction();
  const { rtmp, rtmps, srt, whip } = stream.ingestEndpoints ?? {};
  const server = rtmps?.primaryIngestUrl ?? rtmp?.primaryIngestUrl ?? null;
  const isPublished = stream.status === ON_AIR || stream.status === PREVIEW;
  const turn = () =>
    turning.run(async () => {
      await api('PUT', `${path}/regenerate-key`);
      toast(t('Stream key reset. The old key no longer works.'));
      onChanged();
    });
  return (
    <Panel title={t('Connect an encoder')}>
      <ServerField label={t('Server (RTMP)')} address={rtmp?.primaryIngestUrl} />
      <ServerField label={t('Server (RTMPS)')} address={rtmps?.primaryIngestUrl} />
      <ServerField label={t('Server (SRT, append ?streamid= and the stream key)')} address={srt?.primaryIngestUrl} />
      <ServerField label={t('Server (WHIP, with the stream key as bearer token)')} address={whip?.primaryIngestUrl} />
      <CopyField label={t('Stream key')} text={stream.streamKey} isSecret />
      <div class="row">
        {server !== null && (
          <>
            <button type="button" aria-expanded={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
              {isShown.value ? t('Hide QR code') : t('Show QR code')}
            </button>
            <button type="button" onClick={() => saveAs('service.json', obsService(server, stream.streamKey))}>
              {t('Download OBS file')}
            </button>
          </>
        )}
        <button type="button" disabled={isPublished || turning.isBusy.value} onClick={turn}>
          {t('Reset key')}
        </button>
      </div>
      {isPublished && <p class="hint">{t('The key cannot be reset while the stream is running.')}</p>}
      {isShown.value && server !== null && (
        <>
          <QrCode
            text={`${server.replace(/\/$/, '')}/${stream.streamKey}`}
            label={t('Server URL and stream key as a QR code')}
          />
          <p class="hint">{t('It contains the stream key. Anyone who scans it can publish to this stream.')}</p>
        </>
      )}
      {turning.error.value !== null && <Notice kind="error">{turning.error.value}</Notice>}
    </Panel>
  );
}

/** Returns the content of `service.json`, which OBS reads from a profile's folder. */
function obsService(server: string, key: string): string {
  return JSON.stringify({ type: 'rtmp_custom', settings: { server, key, use_auth: false } }, null, 2);
}

/** Shows nothing if ingest does not listen for the protocol. */
function ServerField({ label, address }: { label: string; address: string | null | undefined }) {
  return address ? <CopyField label={label} text={address} /> : null;
}
