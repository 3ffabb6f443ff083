import { useSignal } from '@preact/signals';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { session } from '../base/session.ts';
import { Check, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { embedCode, frameShape, playerAddress } from '../uploads/embed-code.ts';
import type { PartProps } from './part-props.ts';

/** Parameters of the player's address, each with its default. */
const FLAGS: readonly (readonly [name: string, label: string, standard: boolean])[] = [
  ['autoplay', 'Autoplay', true],
  ['muted', 'Muted', false],
  ['loop', 'Loop', false],
  ['preload', 'Preload', true],
  ['showSpeed', 'Speed menu', true],
  ['showHeatmap', 'Heatmap on the timeline', false],
  ['rememberPosition', 'Resume where the viewer left off', false],
  ['compactControls', 'Compact controls', false],
];

const HOURS = [
  ['1', '1 hour'],
  ['24', '1 day'],
  ['168', '1 week'],
  ['720', '1 month'],
] as const;

/** The player's address with its parameters, a preview of it, and a signed link. */
export function Share({ libraryId, video }: PartProps) {
  const flags = useSignal<Readonly<Record<string, boolean>>>({});
  const start = useSignal('');
  const captions = useSignal('');
  const hours = useSignal('1');
  const signed = useLoaded<{ address: string }>(
    `/dashboard/libraries/${libraryId}/videos/${video.guid}/embed-address?hours=${hours.value}`,
  );
  const address = new URL(playerAddress(session.value?.edgeUrl ?? location.origin, libraryId, video.guid));
  for (const [name, , standard] of FLAGS) {
    const value = flags.value[name] ?? standard;
    if (value !== standard) address.searchParams.set(name, String(value));
  }
  if (start.value !== '') address.searchParams.set('t', start.value);
  if (captions.value !== '') address.searchParams.set('captions', captions.value);
  const preview = new URL(signed.value.value?.address ?? address.href);
  for (const [name, value] of address.searchParams) preview.searchParams.set(name, value);
  // Dashboard pages load no media before the user starts playback.
  preview.searchParams.set('autoplay', 'false');
  preview.searchParams.set('preload', 'none');
  preview.searchParams.set('count', 'false');
  const shape = frameShape(video);
  return (
    <div class="columns">
      <Panel title={t('Player options')}>
        <div class="columns tight">
          {FLAGS.map(([name, label, standard]) => (
            <Check
              key={name}
              label={tr(label)}
              value={flags.value[name] ?? standard}
              onChange={(isOn) => (flags.value = { ...flags.value, [name]: isOn })}
            />
          ))}
        </div>
        <TextField
          label={t('Start at')}
          hint={t('1m30s, 90 or 1:30')}
          value={start.value}
          onChange={(text) => (start.value = text)}
        />
        <TextField
          label={t('Captions')}
          hint={t('A language code such as en. Use en-auto to show captions from the start.')}
          value={captions.value}
          onChange={(text) => (captions.value = text)}
        />
      </Panel>
      <Panel title={t('Preview')}>
        <iframe
          style={shape.style}
          class={`${shape.class} small`}
          title={t('Player preview')}
          src={preview.href}
          allow="autoplay; encrypted-media; fullscreen"
        />
        <CopyField label={t('Embed code')} text={embedCode(address.href, video)} />
        <CopyField label={t('Link')} text={address.href} />
        {signed.value.value?.address.includes('token=') === true && (
          <>
            <SelectField
              label={t('Signed link valid for')}
              value={hours.value}
              choices={trAll(HOURS)}
              onChange={(to) => (hours.value = to)}
            />
            <CopyField label={t('Signed link')} text={signed.value.value.address} />
          </>
        )}
        {signed.error.value !== null && <Notice kind="error">{signed.error.value}</Notice>}
      </Panel>
    </div>
  );
}
