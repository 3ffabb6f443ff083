import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { t } from '../base/language.ts';
import { chosenTheme } from '../base/theme.ts';
import { dateFormat } from '../base/words.ts';

type ChartProps = {
  label: string;
  values: Readonly<Record<string, number>>;
  name: (value: number) => string;
  /** Text of a value on the axis. By default, the number. */
  mark?: (value: number) => string;
};

const HEIGHT_PX = 190;
const DAY_SEC = 24 * 3600;
/** Days of the API are in UTC. */
const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
/** Distances between the dates on the axis, in seconds. */
const DAYS_APART = [1, 2, 5, 7, 14, 30, 60, 90, 180, 365].map((days) => days * DAY_SEC);
const CLOCK = { timeStyle: 'short' } as const;

/** Values over time. The pointer shows each of them. */
export function TimeChart({ label, values, name, mark }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const rows = Object.entries(values);
    const times = rows.map(([time]) => Date.parse(/Z$/.test(time) ? time : `${time}Z`) / 1000);
    const chart = new UPlot(
      options(element, { label, name, mark, isDaily: stepOf(times) >= DAY_SEC }),
      [times, rows.map(([, value]) => value)],
      element,
    );
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resized.observe(element);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => chart.redraw(false);
    theme.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      theme.removeEventListener('change', redraw);
      chart.destroy();
    };
  }, [label, values, name, mark, chosenTheme()]);
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

/** Returns the time between the first two values, in seconds. A single value is taken for a day. */
function stepOf([first = 0, second = first + DAY_SEC]: readonly number[]): number {
  return second - first;
}

type Options = Pick<ChartProps, 'label' | 'name'> & { mark: ChartProps['mark'] | undefined; isDaily: boolean };

function options(element: HTMLElement, { label, name, mark, isDaily }: Options): UPlot.Options {
  // A canvas cannot use variables, so the style sheet sets the chart element's colours as custom properties.
  const colour = (property: string) => () => getComputedStyle(element).getPropertyValue(property);
  const timeOf = (sec: number) => dateFormat(isDaily ? DAY : CLOCK).format(sec * 1000);
  const axis = {
    stroke: colour('color'),
    grid: { stroke: colour('border-top-color'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { live: true },
    cursor: { y: false },
    ...(isDaily && { tzDate: (sec: number) => UPlot.tzDate(new Date(sec * 1000), 'Etc/UTC') }),
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        space: 64,
        values: (_: unknown, marks: number[]) => marks.map(timeOf),
        ...(isDaily && { incrs: DAYS_APART }),
      },
      { ...axis, size: 48, ...(mark !== undefined && { values: (_: unknown, marks: number[]) => marks.map(mark) }) },
    ],
    series: [
      { label: t('Time'), value: (_, sec) => (sec === null ? '' : timeOf(sec)) },
      {
        label,
        stroke: colour('outline-color'),
        fill: colour('text-decoration-color'),
        width: 2,
        points: { show: false },
        value: (_, value) => (value === null ? '' : name(value)),
      },
    ],
  };
}
