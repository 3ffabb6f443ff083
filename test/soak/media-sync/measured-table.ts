import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Results of one source in one output: A/V error in ms, number of missing and doubled frames, and colour errors (of
 * 255) relative to the reference and between rungs. Null: not measured.
 */
export type MeasuredRow = {
  product: string;
  source: string;
  avMs: number | null;
  frames: number | null;
  colour: number | null;
  rungs: number | null;
};

const PAGE = path.resolve(import.meta.dirname, '../../../docs/measured.md');
const HEADING = '## Sound, pictures and colours';
const INTRO = [
  'Largest errors of each output over all sources of `npm run soak -- media-sync`, which writes this table. A-V:',
  'offset between audio and video, relative to that of the source (limit: 20 ms). Frames: missing or doubled',
  '(limit: 0). Colour: of 255, relative to the reference (limit: 8) and between rungs (limit: 4).',
];
const COLUMNS = ['Output', 'Sources', 'A-V error, ms', 'Frames', 'Colour error', 'Between rungs'];

/** Replaces the section of `docs/measured.md` with these rows, one line per output. */
export async function writeMeasured(rows: readonly MeasuredRow[]): Promise<void> {
  const text = await readFile(PAGE, 'utf8');
  const start = text.indexOf(HEADING);
  const end = text.indexOf('\n## ', start + 1);
  const before = start === -1 ? `${text.trimEnd()}\n\n` : text.slice(0, start);
  const after = start === -1 || end === -1 ? '' : text.slice(end);
  await writeFile(PAGE, `${before}${[HEADING, '', ...INTRO, '', ...tableOf(rows), ''].join('\n')}${after}`);
}

/** Returns the Markdown table, one line per output. */
export function tableOf(rows: readonly MeasuredRow[]): string[] {
  const lines = [...Map.groupBy(rows, ({ product }) => product)].map(([product, of]) => {
    const cells = [
      worst(of, ({ avMs }) => avMs),
      worst(of, ({ frames }) => frames, 0),
      worst(of, ({ colour }) => colour),
      worst(of, ({ rungs }) => rungs),
    ];
    return `| ${[product, `${of.length}`, ...cells].join(' | ')} |`;
  });
  return [`| ${COLUMNS.join(' | ')} |`, `|${'---|'.repeat(COLUMNS.length)}`, ...lines];
}

/** Returns the maximum value and its source, or an empty string if nothing was measured. */
function worst(rows: readonly MeasuredRow[], read: (row: MeasuredRow) => number | null, digits = 1): string {
  const measured = rows.flatMap((row) => {
    const value = read(row);
    return value === null ? [] : [{ value, source: row.source }];
  });
  if (measured.length === 0) return '';
  const { value, source } = measured.reduce((most, one) => (one.value > most.value ? one : most));
  return value === 0 ? '0' : `${value.toFixed(digits)} (${source})`;
}
