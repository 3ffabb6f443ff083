import { t } from '../base/language.ts';
import { CODECS, RUNGS, withTurned } from '../base/rungs.ts';
import { bytes } from '../base/words.ts';
import { Check, Panel, Table } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

/** Bitrate of the audio, in kbit/s. */
const AUDIO_KBPS = 128;

/** Settings of the ladder, with the size of one hour of video at each rung's bitrate, and of the other outputs. */
export function EncodingFields({ library, change }: FieldsProps) {
  const rungs = listOf(library.EnabledResolutions);
  const codecs = listOf(library.OutputCodecs);
  const kbpsOf = (rung: (typeof RUNGS)[number]) => library[`Bitrate${rung}`];
  const hour = RUNGS.filter((rung) => rungs.includes(rung)).reduce((sum, rung) => sum + hourBytes(kbpsOf(rung)), 0);
  return (
    <div class="settings">
      <Panel title={t('Resolutions')} hint={t('Applies to new uploads. Videos are never upscaled.')}>
        <Table label={t('Resolutions')} head={[t('Resolution'), t('Max. kbit/s'), t('Max. size per hour')]}>
          {RUNGS.map((rung) => (
            <tr key={rung}>
              <th scope="row">
                <Check
                  label={rung}
                  value={rungs.includes(rung)}
                  onChange={(isOn) =>
                    change('EnabledResolutions', withTurned(RUNGS, rungs, { name: rung, isOn }).join(','))
                  }
                />
              </th>
              <td>
                <input
                  type="number"
                  class="price"
                  aria-label={t('Bitrate of {0}', rung)}
                  min={50}
                  value={kbpsOf(rung)}
                  onInput={({ currentTarget: { valueAsNumber } }) => {
                    if (Number.isFinite(valueAsNumber)) change(`Bitrate${rung}`, valueAsNumber);
                  }}
                />
              </td>
              <td>{bytes(hourBytes(kbpsOf(rung)))}</td>
            </tr>
          ))}
        </Table>
        <p>
          {t('One hour of video takes up to')} <strong>{bytes(hour * Math.max(1, codecs.length))}</strong>,{' '}
          {t('in addition to the original.')}
        </p>
      </Panel>
      <div class="columns">
        <Panel
          title={t('Codecs')}
          hint={t('x264 plays everywhere. Add av1 to save bandwidth. vp9 encodes several times slower and saves less.')}
        >
          {CODECS.map((codec) => (
            <Check
              key={codec}
              label={codec}
              value={codecs.includes(codec)}
              onChange={(isOn) => change('OutputCodecs', withTurned(CODECS, codecs, { name: codec, isOn }).join(','))}
            />
          ))}
        </Panel>
        <Panel title={t('Outputs')}>
          <Check
            label={t('Keep original files')}
            value={library.KeepOriginalFiles}
            onChange={(isOn) => change('KeepOriginalFiles', isOn)}
          />
          <Check
            label={t('Create MP4 files for download')}
            value={library.EnableMP4Fallback}
            onChange={(isOn) => change('EnableMP4Fallback', isOn)}
          />
          <Check
            label={t('Encode on demand, when viewers watch')}
            value={library.JitEncodingEnabled}
            onChange={(isOn) => change('JitEncodingEnabled', isOn)}
          />
          <Check
            label={t('Per-title encoding: match the bitrate to the content')}
            value={library.PerTitleEncoding}
            onChange={(isOn) => change('PerTitleEncoding', isOn)}
          />
          <Check
            label={t('Keep all audio tracks')}
            value={library.EnableMultiAudioTrackSupport}
            onChange={(isOn) => change('EnableMultiAudioTrackSupport', isOn)}
          />
        </Panel>
      </div>
    </div>
  );
}

function listOf(text: string | null): string[] {
  return (text ?? '').split(',').filter((name) => name !== '');
}

function hourBytes(kbps: number): number {
  return ((kbps + AUDIO_KBPS) * 1000 * 3600) / 8;
}
