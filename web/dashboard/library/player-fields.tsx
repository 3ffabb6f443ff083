import { t, tr, trAll } from '../base/language.ts';
import { Check, NumberField, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { ChipsField, ColourField, languageChoices } from '../parts/pickers.tsx';
import type { FieldsProps } from './fields-props.ts';
import { Logo } from './logo.tsx';
import { PlayerPreview } from './player-preview.tsx';

const DEFAULT_COLOUR = '#ff5f1f';
/** Languages of the player's own texts. */
const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'pl', 'pt', 'zh'];
const SPEEDS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4];

/** Names of the controls in the library's settings, in the order of the player. */
const CONTROLS = [
  ['play-large', 'Large play button'],
  ['play', 'Play and pause'],
  ['rewind', '10 s back'],
  ['fast-forward', '10 s forward'],
  ['progress', 'Timeline'],
  ['current-time', 'Current time'],
  ['duration', 'Duration'],
  ['mute', 'Mute'],
  ['volume', 'Volume'],
  ['captions', 'Captions'],
  ['settings', 'Quality and speed menu'],
  ['pip', 'Picture in picture'],
  ['airplay', 'AirPlay'],
  ['fullscreen', 'Full screen'],
] as const;

const FONTS = [
  ['sans-serif', 'Sans serif'],
  ['serif', 'Serif'],
  ['system-ui', "The viewer's system font"],
  ['monospace', 'Monospace'],
] as const;

/** The settings of the player's appearance, next to a player that shows them. */
export function PlayerFields({ libraryId, library, change }: FieldsProps) {
  return (
    <div class="player-settings">
      <div class="settings">
        <Appearance library={library} change={change} />
        <Panel title={t('Controls and speeds')}>
          <ChipsField
            label={t('Controls')}
            choices={trAll(CONTROLS)}
            chosen={listOf(library.Controls)}
            onChange={(chosen) => change('Controls', chosen.join(','))}
          />
          <ChipsField
            label={t('Playback speeds')}
            hint={t('1× is always offered.')}
            choices={speedsWith(listOf(library.PlaybackSpeeds)).map((speed) => [speed, `${speed}×`])}
            chosen={listOf(library.PlaybackSpeeds)}
            onChange={(chosen) => change('PlaybackSpeeds', chosen.join(','))}
          />
          <Check
            label={t('Compact controls')}
            value={library.EnableCompactControls}
            onChange={(isOn) => change('EnableCompactControls', isOn)}
          />
        </Panel>
        <CaptionsPanel library={library} change={change} />
        <Behaviour library={library} change={change} />
        <Logo libraryId={libraryId} />
      </div>
      <PlayerPreview libraryId={libraryId} library={library} />
    </div>
  );
}

type Fields = Pick<FieldsProps, 'library' | 'change'>;

function Appearance({ library, change }: Fields) {
  const language = library.UILanguage ?? 'en';
  const languages = LANGUAGES.includes(language) ? LANGUAGES : [...LANGUAGES, language];
  const font = library.FontFamily ?? 'sans-serif';
  const fonts = FONTS.some(([name]) => name === font) ? trAll(FONTS) : [...trAll(FONTS), [font, font] as const];
  return (
    <Panel title={t('Appearance')}>
      <ColourField
        label={t('Colour')}
        value={library.PlayerKeyColor ?? DEFAULT_COLOUR}
        onChange={(text) => change('PlayerKeyColor', text)}
      />
      <SelectField label={t('Font')} value={font} choices={fonts} onChange={(to) => change('FontFamily', to)} />
      <SelectField
        label={t('Language')}
        hint={t('Language of the player controls.')}
        value={language}
        choices={languageChoices(languages)}
        onChange={(to) => change('UILanguage', to)}
      />
    </Panel>
  );
}

function CaptionsPanel({ library, change }: Fields) {
  return (
    <Panel title={t('Captions')}>
      <NumberField
        label={t('Size (px)')}
        value={library.CaptionsFontSize}
        onChange={(px) => change('CaptionsFontSize', px)}
      />
      <ColourField
        label={t('Text colour')}
        value={library.CaptionsFontColor ?? '#ffffff'}
        onChange={(text) => change('CaptionsFontColor', text)}
      />
      <ColourField
        label={t('Background')}
        value={library.CaptionsBackground ?? '#000000'}
        onChange={(text) => change('CaptionsBackground', text)}
      />
      <p class="caption-sample">
        <span
          style={{
            fontSize: `${Math.min(60, library.CaptionsFontSize)}px`,
            color: library.CaptionsFontColor ?? '#ffffff',
            background: library.CaptionsBackground ?? '#000000',
          }}
        >
          {t('Captions look like this.')}
        </span>
      </p>
    </Panel>
  );
}

const BEHAVIOUR = [
  ['ShowHeatmap', 'Show the most replayed parts as a heatmap'],
  ['RememberPlayerPosition', 'Resume where the viewer left off'],
] as const;

function Behaviour({ library, change }: Fields) {
  return (
    <Panel title={t('Behaviour')}>
      {BEHAVIOUR.map(([field, label]) => (
        <Check key={field} label={tr(label)} value={library[field]} onChange={(isOn) => change(field, isOn)} />
      ))}
      <TextField
        label={t('Pre-roll ad (VAST tag URL)')}
        hint={t('The player loads this URL and plays its advertisement before each video. Leave empty for none.')}
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
  );
}

/** Returns the offered speeds and further stored ones, in ascending order. */
function speedsWith(stored: readonly string[]): string[] {
  const all = new Set([...SPEEDS, ...stored.map(Number).filter((speed) => speed > 0)]);
  return [...all].toSorted((one, other) => one - other).map(String);
}

function listOf(text: string | null): string[] {
  return (text ?? '').split(',').filter((name) => name !== '');
}
