import { useSignal } from '@preact/signals';
import type { VideoActivityModel } from '../../../src/api/models/activity.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { keepStep } from '../base/kept-steps.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite, session } from '../base/session.ts';
import { amount, bytes, clock, isEncoding, isShareable, moment } from '../base/words.ts';
import { CancelEncode } from '../parts/cancel-encode.tsx';
import { Panel } from '../parts/fields.tsx';
import { CopyField, Link, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { embedCode, playerAddress } from '../uploads/embed-code.ts';
import type { DetailsDraft } from './details.tsx';
import type { PartProps } from './part-props.ts';

/** Facts about a video and actions on it, in the column next to the player. */
export function Facts(props: PartProps & { draft: DetailsDraft }) {
  const { libraryId, video } = props;
  const address = playerAddress(session.value?.edgeUrl ?? '', libraryId, video.guid);
  return (
    <aside class="stage-facts" aria-label={t('About this video')}>
      {isShareable(video) && (
        <Panel title={t('Share')}>
          <CopyField label={t('Link')} text={address} />
          <CopyField
            label={t('Embed code')}
            text={embedCode(address, video)}
            onCopied={() => keepStep('embedded', libraryId)}
          />
          <Link to={{ name: 'video', libraryId, videoId: video.guid, part: 'share' }} class="more" keepsScroll>
            {t('Player options and signed links')}
          </Link>
        </Panel>
      )}
      <Panel title={t('File')}>
        <FileFacts video={video} path={props.path} />
      </Panel>
      {mayWrite() && (video.status === 4 || isEncoding(video)) && <Actions {...props} />}
      <More {...props} />
    </aside>
  );
}

function FileFacts({ video, path }: Pick<PartProps, 'video' | 'path'>) {
  const { length, width, height, framerate, storageSize, dateUploaded } = video;
  const rungs = video.availableResolutions.split(',').filter((rung) => rung !== '');
  return (
    <dl>
      <dt>{t('Uploaded')}</dt>
      <dd>{moment(dateUploaded)}</dd>
      {length > 0 && <dt>{t('Length')}</dt>}
      {length > 0 && <dd>{clock(length)}</dd>}
      {length > 0 && <dt>{t('Source')}</dt>}
      {length > 0 && (
        <dd>{width === 0 ? t('Audio only') : t('{0} × {1}, {2} fps', width, height, amount(framerate, 2, 0))}</dd>
      )}
      {rungs.length > 0 && <dt>{t('Plays in')}</dt>}
      {rungs.length > 0 && <dd>{rungs.join(', ')}</dd>}
      {storageSize > 0 && <dt>{t('Stored')}</dt>}
      {storageSize > 0 && <dd>{bytes(storageSize)}</dd>}
      <Loudness path={path} />
    </dl>
  );
}

/** Measured loudness of each audio track. */
function Loudness({ path }: { path: string }) {
  const { value } = useLoaded<VideoActivityModel>(`${path}/activity`);
  const measured = (value.value?.loudness ?? []).filter(({ integratedLufs }) => integratedLufs !== null);
  if (measured.length === 0) return null;
  return (
    <>
      <dt>{t('Loudness')}</dt>
      {measured.map(({ name, integratedLufs, rangeLu, truePeakDbtp, gainDb }) => (
        <dd key={name}>
          {measured.length > 1 && `${name}: `}
          {t('{0} LUFS, range {1} LU, peak {2} dBTP', integratedLufs ?? '', rangeLu ?? '', truePeakDbtp ?? '')}
          {gainDb !== 0 && t('; changed by {0} dB', gainDb)}
        </dd>
      ))}
    </>
  );
}

function Actions({ path, video, onChanged }: PartProps) {
  const running = useAction();
  const reencode = () =>
    running.run(async () => {
      await api('POST', `${path}/reencode`);
      toast(t('Queued for re-encoding.'));
      onChanged();
    });
  const replace = (file: File | undefined) => {
    if (file === undefined) return;
    void running.run(async () => {
      await api('POST', `${path}/replace`);
      await api('PUT', path, file);
      toast(t('New file uploaded. It replaces the old one once it is encoded.'));
      onChanged();
    });
  };
  const isReady = video.status === 4;
  return (
    <Panel title={t('Actions')}>
      <div class="actions">
        {isEncoding(video) && <CancelEncode path={path} onCancelled={onChanged} />}
        {isReady && video.hasOriginal === true && (
          <button type="button" disabled={running.isBusy.value} onClick={reencode}>
            {t('Re-encode')}
          </button>
        )}
        {isReady && (
          <label class="button">
            {running.isBusy.value ? t('Sending…') : t('Replace file')}
            <input
              type="file"
              class="unseen"
              accept="video/*,audio/*"
              onChange={({ currentTarget }) => replace(currentTarget.files?.[0])}
            />
          </label>
        )}
      </div>
      {isReady && (
        <p class="hint">
          {t('The URL, captions and statistics are kept. The current version plays until the new one is ready.')}
        </p>
      )}
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </Panel>
  );
}

/** Facts for developers: ids, codecs and meta tags. */
function More({ video, draft }: PartProps & { draft: DetailsDraft }) {
  return (
    <details class="panel">
      <summary>{t('Technical details')}</summary>
      <div class="stack">
        <CopyField label={t('Video ID')} text={video.guid} />
        <dl>
          <dt>{t('Codecs')}</dt>
          <dd>{video.outputCodecs}</dd>
          <dt>{t('MP4 files')}</dt>
          <dd>{video.hasMP4Fallback ? t('Yes') : t('No')}</dd>
        </dl>
        {video.originalHash !== null && <CopyField label={t('SHA-256 of the original')} text={video.originalHash} />}
        {mayWrite() && <MetaTags draft={draft} />}
      </div>
    </details>
  );
}

/** Meta tags that no other field shows, as names and values. */
function MetaTags({ draft: { value, change } }: { draft: DetailsDraft }) {
  const property = useSignal('');
  const added = useSignal('');
  const add = () => {
    if (property.value.trim() === '') return;
    change({ others: [...value.others, { property: property.value.trim(), value: added.value }] });
    property.value = '';
    added.value = '';
  };
  return (
    <div class="stack tight">
      <h3>{t('Meta tags')}</h3>
      <p class="hint">{t('The player page contains these tags. Lists can be filtered by them, as name=value.')}</p>
      <ul class="rows">
        {value.others.map((tag, index) => (
          // Tags have no id, so their index identifies them.
          <li key={index}>
            <span class="breaks">
              <strong>{tag.property}</strong> {tag.value}
            </span>
            <button
              type="button"
              class="quiet"
              aria-label={t('Remove {0}', tag.property ?? '')}
              onClick={() => change({ others: value.others.filter((_, at) => at !== index) })}
            >
              {t('Remove')}
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        <input
          class="tag-field"
          aria-label={t('Meta tag name')}
          placeholder={t('name')}
          value={property.value}
          onInput={({ currentTarget }) => (property.value = currentTarget.value)}
        />
        <input
          class="tag-field"
          aria-label={t('Meta tag value')}
          placeholder={t('value')}
          value={added.value}
          onInput={({ currentTarget }) => (added.value = currentTarget.value)}
        />
        <button type="button" onClick={add}>
          {t('Add')}
        </button>
      </div>
    </div>
  );
}
