import { useSignal } from '@preact/signals';
import type { PortableSettingsModel } from '../../../src/api/models/portable-settings.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';

type Position = {
  WatermarkPositionLeft: number;
  WatermarkPositionTop: number;
  WatermarkWidth: number;
  WatermarkHeight: number;
};
type Props = { libraryId: number; library: VideoLibraryModel; onChanged: () => void };

/** The image that is drawn onto new videos, positioned by dragging. */
export function Watermark({ libraryId, library, onChanged }: Props) {
  const place: Position = {
    WatermarkPositionLeft: library.WatermarkPositionLeft,
    WatermarkPositionTop: library.WatermarkPositionTop,
    WatermarkWidth: library.WatermarkWidth || 15,
    WatermarkHeight: library.WatermarkHeight || 15,
  };
  const { value: position, change } = useDraft(place, {
    name: t('Watermark'),
    done: t('Position saved. It applies to newly encoded videos.'),
    async save(_, edited) {
      await api('POST', `/videolibrary/${libraryId}`, edited);
      onChanged();
    },
  });
  const stored = useLoaded<PortableSettingsModel>(`/library/${libraryId}/settings`);
  const image = library.HasWatermark ? (stored.value.value?.images?.watermark ?? null) : null;
  const running = useAction();
  const upload = (file: File | undefined) => {
    if (file === undefined) return;
    void running.run(async () => {
      await api('PUT', `/videolibrary/${libraryId}/watermark`, file);
      stored.again();
      onChanged();
    });
  };
  const remove = () =>
    running.run(async () => {
      await api('DELETE', `/videolibrary/${libraryId}/watermark`);
      stored.again();
      onChanged();
    });
  return (
    <Panel title={t('Watermark')} hint={t('Burned into newly encoded videos.')}>
      <Stage position={position} image={image} hasImage={library.HasWatermark} onMove={change} />
      <div class="row">
        {FIELDS.map(([field, label]) => (
          <label key={field} class="inline">
            {tr(label)}
            <input
              type="number"
              class="price"
              min={0}
              max={100}
              value={position[field]}
              onInput={({ currentTarget: { valueAsNumber } }) => {
                if (Number.isFinite(valueAsNumber)) change({ [field]: Math.round(valueAsNumber) });
              }}
            />
          </label>
        ))}
      </div>
      <div class="row">
        <label class="button">
          {library.HasWatermark ? t('Replace image') : t('Upload image')}
          <input
            type="file"
            class="unseen"
            accept="image/png,image/jpeg,image/webp"
            onChange={({ currentTarget }) => upload(currentTarget.files?.[0])}
          />
        </label>
        {library.HasWatermark && (
          <button type="button" class="quiet" onClick={remove}>
            {t('Remove image')}
          </button>
        )}
      </div>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </Panel>
  );
}

const FIELDS: readonly (readonly [keyof Position, string])[] = [
  ['WatermarkPositionLeft', 'Left (%)'],
  ['WatermarkPositionTop', 'Top (%)'],
  ['WatermarkWidth', 'Width (%)'],
  ['WatermarkHeight', 'Height (%)'],
];

type StageProps = { position: Position; image: string | null; hasImage: boolean; onMove: (position: Position) => void };

function Stage({ position, image, hasImage, onMove }: StageProps) {
  const stageWord = hasImage ? t('Watermark') : t('No image yet');
  const isHeld = useSignal(false);
  const move = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const { width, height } = event.currentTarget.getBoundingClientRect();
    const left = position.WatermarkPositionLeft + (event.movementX / width) * 100;
    const top = position.WatermarkPositionTop + (event.movementY / height) * 100;
    const within = (value: number, size: number) => Math.round(Math.min(100 - size, Math.max(0, value)));
    onMove({
      ...position,
      WatermarkPositionLeft: within(left, position.WatermarkWidth),
      WatermarkPositionTop: within(top, position.WatermarkHeight),
    });
  };
  return (
    <div
      class="watermark-stage"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        isHeld.value = true;
      }}
      onPointerMove={(event) => {
        if (isHeld.value) move(event);
      }}
      onPointerUp={() => (isHeld.value = false)}
    >
      <span
        class="watermark-mark"
        style={{
          left: `${position.WatermarkPositionLeft}%`,
          top: `${position.WatermarkPositionTop}%`,
          width: `${position.WatermarkWidth}%`,
          height: `${position.WatermarkHeight}%`,
        }}
      >
        {image === null ? stageWord : <img src={image} alt={t('Watermark')} draggable={false} />}
      </span>
    </div>
  );
}
