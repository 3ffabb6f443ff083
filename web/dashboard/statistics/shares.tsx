import { amount } from '../base/words.ts';

type Row = { name: string; views: number };

const MAX_ROWS = 20;

/** Bars of the first 20 names with their views. */
export function Shares({ title, rows }: { title: string; rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  const most = Math.max(1, ...rows.map(({ views }) => views));
  return (
    <section class="panel">
      <h2>{title}</h2>
      <ul class="shares">
        {rows.slice(0, MAX_ROWS).map(({ name, views }) => (
          <li key={name}>
            <span>{name}</span>
            <meter min={0} max={most} value={views} aria-label={name} />
            <span class="hint">{amount(views)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
