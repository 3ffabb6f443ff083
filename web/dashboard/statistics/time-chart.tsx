import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { t } from '../base/language.ts';
import { chosenTheme } from '../base/theme.ts';

type ChartProps = { label: string; values: Readonly<Record<string, number>>; name: (value: number) => string };

const HEIGHT_PX = 190;

/** Values over time. The pointer shows each of them. */
export function TimeChart({ label, values, name }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const rows = Object.entries(values);
    const times = rows.map(([time]) => Date.parse(/Z$/.test(time) ? time : `${time}Z`) / 1000);
    const chart = new UPlot(options(element, { label, name }), [times, rows.map(([, value]) => value)], element);
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
  }, [label, values, name, chosenTheme()]);
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

function options(element: HTMLElement, { label, name }: Pick<ChartProps, 'label' | 'name'>): UPlot.Options {
  // A canvas cannot use variables, so the style sheet sets the chart element's colours as custom properties.
  const colour = (property: string) => () => getComputedStyle(element).getPropertyValue(property);
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
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [axis, { ...axis, size: 44 }],
    series: [
      { label: t('Time') },
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
