import { useSignal } from '@preact/signals';
import type { VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import type { VideoModel } from '../../../src/api/models/video.ts';
import type { StatusModelOfVideoResolutionsInfoModel } from '../../../src/api/models/video-storage.ts';
import { readTimeSec } from '../../player/base/start-options.ts';
import { fullLink } from '../base/full-link.ts';
import { keepStep } from '../base/kept-steps.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite, session } from '../base/session.ts';
import { isEncoding } from '../base/words.ts';
import { Check, NumberField, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { PrivateHint } from '../parts/visibility.tsx';
import { type FrameSize, frameShape, frameSizePx, playerAddress } from '../uploads/embed-code.ts';
import { type Download, Downloads } from './downloads.tsx';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';
import { type CodeKind, shareCode } from './share-code.ts';
import { SharePages } from './share-pages.tsx';

/** Parameters of the player's URL, each with its default. */
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

const KINDS = [
  ['iframe', 'HTML'],
  ['element', 'Web component'],
  ['react', 'React'],
  ['oembed', 'oEmbed'],
  ['video', 'Video element'],
] as const;
/** Width of a fixed frame before the user changes it. A portrait frame of the usual width is higher than a screen. */
const DEFAULT_WIDTH_PX = 640;
const DEFAULT_PORTRAIT_WIDTH_PX = 360;
const MAX_WIDTH_PX = 7_680;

type Choices = { flags: Readonly<Record<string, boolean>>; start: string; captions: string };

/** The code, links and files with which a video reaches its viewers, with a preview of the player. */
export function Share(props: PartProps) {
  const { libraryId, video, path } = props;
  const choices = useSignal<Choices>({ flags: {}, start: '', captions: '' });
  const hours = useSignal('1');
  const signed = useLoaded<{ address: string }>(
    `/dashboard/libraries/${libraryId}/videos/${video.guid}/embed-address?hours=${hours.value}`,
  );
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, video.guid));
  const stored = useLoaded<StatusModelOfVideoResolutionsInfoModel>(`${path}/resolutions`);
  const address = new URL(playerAddress(session.value?.edgeUrl ?? location.origin, libraryId, video.guid));
  addChoices(address, choices.value);
  const link = new URL(signed.value.value?.address ?? address.href);
  addChoices(link, choices.value);
  const preview = new URL(link);
  // The preview loads no media before the user starts playback.
  for (const [name, value] of HELD) preview.searchParams.set(name, value);
  const shape = frameShape(video);
  const needsToken = link.searchParams.has('token');
  const downloads = listDownloads(play.value.value, stored.value.value);
  const error = signed.error.value ?? play.error.value ?? stored.error.value;
  return (
    <div class="columns">
      {error !== null && <Notice kind="error">{error}</Notice>}
      <div class="stack">
        <Panel title={t('Preview')}>
          {signed.value.value === null && signed.error.value === null ? (
            // Without its token, the player page may be refused.
            <div style={shape.style} class={`${shape.class} small waiting`} />
          ) : (
            <iframe
              style={shape.style}
              class={`${shape.class} small`}
              title={t('Player preview')}
              src={preview.href}
              allow="autoplay; encrypted-media; fullscreen"
            />
          )}
        </Panel>
        <PlayerOptions video={video} choices={choices.value} onChange={(to) => (choices.value = to)} />
      </div>
      <div class="stack">
        <Code {...props} address={address.href} start={choices.value.start} play={play.value.value} files={downloads} />
        <Panel title={t('Link')}>
          {needsToken && mayWrite() && (
            <SelectField
              label={t('Signed link valid for')}
              value={hours.value}
              choices={trAll(HOURS)}
              onChange={(to) => (hours.value = to)}
            />
          )}
          <CopyField label={needsToken ? t('Signed link') : t('Link')} text={link.href} />
          <QrCode text={link.href} label={t('QR code of the link')} />
        </Panel>
        {mayWrite() && (
          <SharePages
            path={path}
            hint={t('A page with the video, its chapters and transcript, for people with its link.')}
            offersComments
            hasFiles={video.hasMP4Fallback || play.value.value?.enableMP4Fallback === true}
          />
        )}
        <Downloads libraryId={libraryId} files={downloads} isEncoding={isEncoding(video)} />
      </div>
    </div>
  );
}

/** Parameters of the preview. It neither starts by itself nor counts as a view. */
const HELD = [
  ['autoplay', 'false'],
  ['preload', 'none'],
  ['count', 'false'],
] as const;

function addChoices({ searchParams }: URL, { flags, start, captions }: Choices): void {
  for (const [name, , standard] of FLAGS) {
    const value = flags[name] ?? standard;
    if (value !== standard) searchParams.set(name, String(value));
  }
  if (start !== '' && isTime(start)) searchParams.set('t', start);
  if (captions !== '') searchParams.set('captions', captions);
}

/** Returns whether the player understands a start time. */
function isTime(text: string): boolean {
  return /^[0:]*$/.test(text) || readTimeSec(text) > 0;
}

type OptionsProps = { video: VideoModel; choices: Choices; onChange: (to: Choices) => void };

function PlayerOptions({ video, choices, onChange }: OptionsProps) {
  const captions = video.captions.flatMap(({ srclang, label }) => {
    const name = label || srclang || '';
    return [
      [srclang ?? '', name],
      [`${srclang}-auto`, t('{0}, shown from the start', name)],
    ] as const;
  });
  return (
    <Panel title={t('Player options')}>
      <TextField
        label={t('Start at')}
        hint={t('1m30s, 90 or 1:30')}
        value={choices.start}
        error={isTime(choices.start) ? null : t('Not a time.')}
        onChange={(start) => onChange({ ...choices, start })}
      />
      <div class="columns tight">
        {FLAGS.map(([name, label, standard]) => (
          <Check
            key={name}
            label={tr(label)}
            value={choices.flags[name] ?? standard}
            onChange={(isOn) => onChange({ ...choices, flags: { ...choices.flags, [name]: isOn } })}
          />
        ))}
      </div>
      {captions.length > 0 && (
        <SelectField
          label={t('Captions')}
          value={choices.captions}
          choices={[['', t('Chosen by the viewer')], ...captions]}
          onChange={(to) => onChange({ ...choices, captions: to })}
        />
      )}
    </Panel>
  );
}

type CodeProps = PartProps & {
  address: string;
  start: string;
  play: VideoPlayDataModel | null;
  files: readonly Download[];
};

/** The code that shows the video on a page, in the chosen form and size. */
function Code({ libraryId, video, address, start, play, files }: CodeProps) {
  const kind = useSignal<CodeKind>('iframe');
  const size = useSignal<FrameSize>({ kind: 'fluid' });
  // Browsers play protected media only with a player that requests its keys.
  const kinds = play?.enableDRM === true ? KINDS.filter(([name]) => name !== 'video') : KINDS;
  const playlist = play === null ? [] : [{ url: play.videoPlaylistUrl, type: 'application/vnd.apple.mpegurl' }];
  const shared = {
    ...{ address, video, size: size.value, posterUrl: video.thumbnailUrl, oembedUrl: fullLink('/OEmbed') },
    startSec: readTimeSec(start),
    files: [...playlist, ...files.filter(({ type }) => type !== null).slice(0, 1)].map(({ url, type }) => ({
      url,
      type: type ?? '',
    })),
  };
  const shown = KINDS.find(([name]) => name === kind.value)?.[1] ?? '';
  return (
    <Panel title={t('Embed code')}>
      <PrivateHint visibility={video.visibility} />
      <fieldset class="switch words">
        <legend class="unseen">{t('Code format')}</legend>
        {kinds.map(([name, label]) => (
          <button key={name} type="button" aria-pressed={kind.value === name} onClick={() => (kind.value = name)}>
            {tr(label)}
          </button>
        ))}
      </fieldset>
      <SizeFields video={video} size={size.value} onChange={(to) => (size.value = to)} />
      <CopyField
        label={t('Code for {0}', tr(shown))}
        text={shareCode(kind.value, shared)}
        isWrapped
        onCopied={() => keepStep('embedded', libraryId)}
      />
      {kind.value === 'oembed' && <p class="hint">{t('Publishing systems that support oEmbed request this URL.')}</p>}
      {kind.value === 'video' && (
        <p class="hint">{t('The browser plays HLS itself, or else the MP4 file. The player options do not apply.')}</p>
      )}
    </Panel>
  );
}

type SizeProps = { video: PartProps['video']; size: FrameSize; onChange: (to: FrameSize) => void };

function SizeFields({ video, size, onChange }: SizeProps) {
  const fixed = frameSizePx(video, size);
  const usualPx = video.height > video.width ? DEFAULT_PORTRAIT_WIDTH_PX : DEFAULT_WIDTH_PX;
  return (
    <div class="columns tight">
      <SelectField
        label={t('Frame size')}
        value={size.kind}
        choices={[
          ['fluid', t('Fluid: fills the available width')],
          ['fixed', t('Fixed width')],
        ]}
        onChange={(to) => onChange(to === 'fixed' ? { kind: 'fixed', widthPx: usualPx } : { kind: 'fluid' })}
      />
      {fixed !== null && (
        <NumberField
          label={t('Width in pixels')}
          hint={t('{0} pixels high, with the aspect ratio of the video', fixed.heightPx)}
          value={fixed.widthPx}
          min={1}
          onChange={(to) => onChange({ kind: 'fixed', widthPx: Math.min(MAX_WIDTH_PX, Math.max(1, Math.round(to))) })}
        />
      )}
    </div>
  );
}

/** Lists the MP4 files, largest first, and the original if viewers may get it. */
function listDownloads(
  play: VideoPlayDataModel | null,
  stored: StatusModelOfVideoResolutionsInfoModel | null,
): readonly Download[] {
  const base = play?.videoPlaylistUrl.replace(/playlist\.m3u8.*$/, '') ?? '';
  const files = stored?.data?.mp4Resolutions ?? [];
  const originalUrl = play?.originalUrl ?? '';
  const movies = files.map(({ resolution, path }) => ({
    name: `MP4 ${resolution ?? ''}`,
    url: `${base}${path ?? ''}`,
    type: 'video/mp4',
  }));
  movies.sort((one, other) => Number.parseInt(other.name.slice(4), 10) - Number.parseInt(one.name.slice(4), 10));
  if (base === '') return [];
  return originalUrl === '' ? movies : [...movies, { name: t('Original'), url: originalUrl, type: null }];
}
