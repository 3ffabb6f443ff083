import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './context.ts';
import { printError, printLine, printProgress } from './output.ts';

const POLL_MS = 1_000;

/** Thrown after an import or export that is not complete. The failures have been printed. */
export class TransferIncomplete extends Error {}

/** Shows the progress of an import until it ends. Throws `TransferIncomplete` if something failed. */
export async function followImport(context: Context, libraryId: number, importId: string): Promise<void> {
  const { millrace, values } = context;
  for (let printed: string | null = null; ; ) {
    const report = await millrace.call('getImport', { libraryId, importId, itemsPerPage: 1 });
    const { total, imported, skipped, failed } = report.counts;
    printProgress(`${report.state} ${imported} of ${total}`, total === 0 ? 0 : (imported + skipped + failed) / total);
    if (report.dateEnded !== null) break;
    if (report.reason !== null && report.reason !== printed) printError(`millrace import: ${report.reason}`);
    printed = report.reason;
    await sleep(POLL_MS);
  }
  await printSettings(context, libraryId, importId);
  let retryable = 0;
  for (const state of ['skipped', 'failed'] as const) {
    for await (const item of itemsOf(context, { libraryId, importId, state })) {
      if (item.retryable) retryable += 1;
      printLine(values.json ? JSON.stringify(item) : [item.state, item.guid, item.title, item.reason].join('\t'));
    }
  }
  const report = await millrace.call('getImport', { libraryId, importId, itemsPerPage: 1 });
  printLine(values.json ? JSON.stringify({ ...report, items: undefined }) : summaryOf(report));
  const { state, source, reason, counts } = report;
  if (reason !== null) throw new TransferIncomplete(reason);
  if (state !== 'failed' && counts.failed === 0) return;
  const advice = source === 'upload' ? 'Run the command again.' : 'Resume with imports resume.';
  throw new TransferIncomplete(`${counts.failed} items failed. ${retryable > 0 ? advice : 'They would fail again.'}`);
}

/** Prints the settings that the import changed or would change. */
async function printSettings({ millrace, values }: Context, libraryId: number, importId: string): Promise<void> {
  const { settings } = await millrace.call('getImport', { libraryId, importId, itemsPerPage: 1 });
  if (settings === null || values.json === true) return;
  const { state, changes, leftOut, reason } = settings;
  if (state === 'failed') return printLine(`The settings of the source could not be restored: ${reason}`);
  for (const { field, reason: why } of leftOut) printLine(['skipped', field, why].join('\t'));
  if (state === 'kept') {
    if (changes.length > 0) printLine(`${changes.length} settings differ at the source. Restore them with --settings.`);
    return;
  }
  for (const { field, from, to } of changes) printLine(['setting', field, from ?? 'none', to ?? 'none'].join('\t'));
  printLine(`${changes.length} settings ${state === 'planned' ? 'would be ' : ''}restored`);
}

type Summary = { guid: string; state: string; counts: Record<string, number> };

function summaryOf({ guid, state, counts }: Summary): string {
  const { total, imported, skipped, failed, waiting, sizeBytes } = counts;
  const ends = `${imported} imported, ${skipped} skipped, ${failed} failed, ${waiting} waiting`;
  return `${guid}\t${state}\t${total} items: ${ends}; ${sizeBytes} bytes`;
}

type Selected = { libraryId: number; importId: string; state: 'skipped' | 'failed' };

async function* itemsOf({ millrace }: Context, selected: Selected) {
  for (let page = 1; ; page += 1) {
    const { items, totalItems, itemsPerPage } = await millrace.call('getImport', { ...selected, page });
    yield* items;
    if (page * itemsPerPage >= totalItems) return;
  }
}
