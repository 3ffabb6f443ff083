import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { t } from '../base/language.ts';
import { dateFormat } from '../base/words.ts';
import { SelectField } from '../parts/fields.tsx';
import {
  type ComparedPeriods,
  comparedPeriods,
  monthsBefore,
  type OwnDates,
  type Period,
  type PeriodChoice,
  periodOf,
} from './periods.ts';

const MONTHS = 13;
const DAY_CHARACTERS = 10;

export type PeriodState = {
  choice: PeriodChoice;
  own: OwnDates;
  /** `none`, `previous` or a month. */
  other: string;
  period: Period;
  /** The periods to compare, or null if none is chosen. */
  compared: ComparedPeriods | null;
  change(to: Partial<{ choice: PeriodChoice; own: OwnDates; other: string }>): void;
};

/** Keeps the period of a statistics page, by default the last 30 days. */
export function usePeriod(): PeriodState {
  const chosen = useSignal({ choice: '30', own: { from: '', to: '' }, other: 'none' });
  const { choice, own, other } = chosen.value;
  const nowMs = Date.now();
  const period = periodOf(choice, own, nowMs);
  const compared = other === 'none' ? null : comparedPeriods({ choice, period }, other, nowMs);
  return { choice, own, other, period, compared, change: (to) => (chosen.value = { ...chosen.value, ...to }) };
}

/** Selects a period and the one to compare it with. `children`: buttons at the end of the row. */
export function PeriodPicker({ state, children }: { state: PeriodState; children?: ComponentChildren }) {
  const { choice, own, other, period, change } = state;
  const months = monthsBefore(Date.now(), MONTHS).map((month) => [month, monthName(month)] as const);
  const choose = (to: PeriodChoice) => {
    // A custom period starts with the dates of the previous choice.
    const day = (ms: number) => new Date(ms).toISOString().slice(0, DAY_CHARACTERS);
    const isOwn = to === 'own' && own.from === '';
    change({ choice: to, ...(isOwn && { own: { from: day(period.fromMs), to: day(period.endMs - 1) } }) });
  };
  const problem = choice === 'own' ? problemOf(own) : null;
  return (
    <>
      <div class="filters">
        <SelectField
          label={t('Range')}
          value={choice}
          choices={[
            ['1', t('Last 24 hours')],
            ['7', t('Last 7 days')],
            ['30', t('Last 30 days')],
            ['90', t('Last 90 days')],
            ...months,
            ['own', t('Choose dates')],
          ]}
          onChange={choose}
        />
        {choice === 'own' && (
          <>
            <DayField label={t('First day')} value={own.from} onChange={(from) => change({ own: { ...own, from } })} />
            <DayField label={t('Last day')} value={own.to} onChange={(to) => change({ own: { ...own, to } })} />
          </>
        )}
        <SelectField
          label={t('Compare with')}
          value={other}
          choices={[['none', t('Nothing')], ['previous', t('Previous period')], ...months]}
          onChange={(to) => change({ other: to })}
        />
        {children}
      </div>
      {problem !== null && (
        <p class="hint bad" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** Returns why chosen dates contain no day that is counted. Null if they do. */
function problemOf({ from, to }: OwnDates): string | null {
  if (from > new Date().toISOString()) return t('The first day is in the future.');
  return to < from ? t('The last day is before the first day.') : null;
}

function DayField({ label, value, onChange }: { label: string; value: string; onChange: (to: string) => void }) {
  return (
    <label>
      {label}
      <input
        type="date"
        value={value}
        onChange={({ currentTarget: { value: to } }) => {
          if (to !== '') onChange(to);
        }}
      />
    </label>
  );
}

/** Formats a month, `2026-11`, in the language of the page. */
export function monthName(month: string): string {
  const format = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(`${month}-01T00:00Z`));
}
