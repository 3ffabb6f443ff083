import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { QualityModel } from '../../../src/api/models/audience.ts';
import { t } from '../base/language.ts';
import { amount } from '../base/words.ts';
import { SelectField, Table } from '../parts/fields.tsx';
import { Link } from '../parts/parts.tsx';
import { countryName } from './country-name.ts';
import { deviceName } from './device-name.ts';

type Group = Omit<QualityModel['countries'][number], 'name'>;
type Row = Group & { key: string; label: ComponentChildren };
type By = 'countries' | 'devices' | 'renditions' | 'videos';

/** Startup, rebuffering and failures by country, device, resolution or video. */
export function Quality({ libraryId, found }: { libraryId: number; found: QualityModel }) {
  const by = useSignal<By>('countries');
  if (found.views === 0) return null;
  const rows = rowsOf(found, libraryId);
  const names: Record<By, string> = {
    countries: t('Country'),
    devices: t('Device'),
    renditions: t('Resolution'),
    videos: t('Video'),
  };
  const choices = Object.entries(names).filter(([key]) => key !== 'videos' || found.videos.length > 0);
  const head = [
    names[by.value],
    t('Views'),
    t('Startup time'),
    t('Slowest 5% start after'),
    t('Time spent rebuffering'),
    t('Views with an error'),
  ];
  return (
    <section class="panel">
      <div class="row spread">
        <h2>{t('Playback quality')}</h2>
        <SelectField
          label={t('Group by')}
          value={by.value}
          choices={choices}
          // The choices are the keys of `names`.
          onChange={(chosen) => (by.value = chosen as By)}
        />
      </div>
      <Table label={t('Playback quality')} head={head}>
        {rows[by.value].map(({ key, label, ...group }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <td>{amount(group.views)}</td>
            <td>{seconds(group.startupP50Ms)}</td>
            <td>{seconds(group.startupP95Ms)}</td>
            <td>{percent(group.rebufferingSeconds, group.watchTime + group.rebufferingSeconds)}</td>
            <td>{percent(group.failedViews, group.views)}</td>
          </tr>
        ))}
      </Table>
      {by.value === 'renditions' && <p class="hint">{t('A view counts for the resolution that was shown longest.')}</p>}
      {found.isLimited && <p class="hint">{t('Only the newest {0} views.', amount(found.views))}</p>}
    </section>
  );
}

function rowsOf(found: QualityModel, libraryId: number): Record<By, Row[]> {
  return {
    countries: found.countries.map(({ name, ...group }) => ({ ...group, key: name, label: countryName(name) })),
    devices: found.devices.map(({ name, ...group }) => ({ ...group, key: name, label: deviceName(name) })),
    renditions: found.renditions.map(({ height, ...group }) => {
      return { ...group, key: `${height}`, label: `${height}p` };
    }),
    videos: found.videos.map(({ guid, title, ...group }) => {
      const to = { name: 'video', libraryId, videoId: guid, part: 'statistics' } as const;
      return { ...group, key: guid, label: title === null ? t('Deleted video') : <Link to={to}>{title}</Link> };
    }),
  };
}

function seconds(ms: number | null): string {
  return ms === null ? '–' : `${amount(ms / 1000, 1)} s`;
}

function percent(part: number, all: number): string {
  return all === 0 ? '–' : `${amount((part * 100) / all, 1)} %`;
}
