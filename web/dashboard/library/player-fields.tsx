import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { session } from '../base/session.ts';
import { Check, NumberField, Panel, TextField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';
import { Logo } from './logo.tsx';

/** The settings of the player's appearance, next to the player as saved. */
export function PlayerFields({ libraryId, library, change }: FieldsProps) {
  const { value } = useLoaded<PaginationListOfVideoModel>(`/library/${libraryId}/videos?status=4&itemsPerPage=1`);
  const [video] = value.value?.items ?? [];
  const address =
    video === undefined
      ? null
      : `${session.value?.edgeUrl ?? ''}/embed/${libraryId}/${video.guid}?autoplay=false&preload=none&count=false`;
  return (
    <div class="columns">
      <Panel title={t('Appearance')}>
        <label>
          {t('Colour')}
          <input
            type="color"
            value={library.PlayerKeyColor ?? '#ff5f1f'}
            onInput={({ currentTarget }) => change('PlayerKeyColor', currentTarget.value)}
          />
        </label>
        <TextField label={t('Font')} value={library.FontFamily ?? ''} onChange={(text) => change('FontFamily', text)} />
        <TextField
          label={t('Language')}
          hint={t('Language of the player controls, such as en or de.')}
          value={library.UILanguage ?? ''}
          onChange={(text) => change('UILanguage', text)}
        />
        <TextField
          label={t('Playback speeds')}
          hint={t('Comma-separated.')}
          value={library.PlaybackSpeeds ?? ''}
          onChange={(text) => change('PlaybackSpeeds', text)}
        />
        <TextField
          label={t('Controls')}
          hint={t('Comma-separated names.')}
          value={library.Controls ?? ''}
          onChange={(text) => change('Controls', text)}
        />
      </Panel>
      <Logo libraryId={libraryId} />
      <Panel title={t('Live preview')} hint={t('Reload the player to see saved changes.')}>
        {address === null ? (
          <p class="hint">{t('Available once the first video is finished.')}</p>
        ) : (
          <iframe
            key={`${library.DateModified} ${library.PlayerKeyColor ?? ''}`}
            class="player small"
            title={t('Player preview')}
            src={address}
            allow="autoplay; encrypted-media; fullscreen"
          />
        )}
        <p class="swatch" style={{ background: library.PlayerKeyColor ?? '#ff5f1f' }} />
      </Panel>
      <CaptionsPanel library={library} change={change} />
      <Panel title={t('Behaviour')}>
        <Check
          label={t('Show the most replayed parts as a heatmap')}
          value={library.ShowHeatmap}
          onChange={(isOn) => change('ShowHeatmap', isOn)}
        />
        <Check
          label={t('Resume where the viewer left off')}
          value={library.RememberPlayerPosition}
          onChange={(isOn) => change('RememberPlayerPosition', isOn)}
        />
        <Check
          label={t('Compact controls')}
          value={library.EnableCompactControls}
          onChange={(isOn) => change('EnableCompactControls', isOn)}
        />
        <TextField
          label={t('Pre-roll ad (VAST tag URL)')}
          value={library.VastTagUrl ?? ''}
          onChange={(text) => change('VastTagUrl', text)}
        />
        <label>
          {t('Custom HTML in the head of the player page')}
          <textarea
            rows={4}
            value={library.CustomHTML ?? ''}
            onInput={({ currentTarget }) => change('CustomHTML', currentTarget.value)}
          />
          <span class="hint">{t('Runs on the player page, never in this dashboard.')}</span>
        </label>
      </Panel>
    </div>
  );
}

function CaptionsPanel({ library, change }: Pick<FieldsProps, 'library' | 'change'>) {
  return (
    <Panel title={t('Captions')}>
      <NumberField
        label={t('Size (px)')}
        value={library.CaptionsFontSize}
        onChange={(px) => change('CaptionsFontSize', px)}
      />
      <label>
        {t('Text colour')}
        <input
          type="color"
          value={library.CaptionsFontColor ?? '#ffffff'}
          onInput={({ currentTarget }) => change('CaptionsFontColor', currentTarget.value)}
        />
      </label>
      <label>
        {t('Background')}
        <input
          type="color"
          value={library.CaptionsBackground ?? '#000000'}
          onInput={({ currentTarget }) => change('CaptionsBackground', currentTarget.value)}
        />
      </label>
    </Panel>
  );
}
