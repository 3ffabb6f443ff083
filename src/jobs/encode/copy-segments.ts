import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { publishesGrowing } from '../../catalog/tasks/task-kind.ts';
import { loadTaskView } from '../../catalog/tasks/task-view-store.ts';
import { planChunks } from '../../media/timeline/chunk-plan.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { publishChunks } from './publish-chunks.ts';
import { openSource, readSegment, replanPassThrough } from './read-pass-through.ts';
import { createChunkWriter, discardAfter } from './store-chunk.ts';

/** Copies segments of a pass-through source into chunks. Publishes each chunk when it is stored. */
export async function copySegments({ claim, report }: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { task } = claim;
  const view = await loadTaskView(deps.db, task);
  const [rendition] = view?.renditions ?? [];
  if (view === null || rendition?.listed == null) throw new LeaseLost();
  const { listed } = rendition;
  const file = await openSource(deps.sources, view.sourceKey, signal);
  const writer = createChunkWriter({
    storage: deps.storage,
    key: task.key,
    renditionId: rendition.id,
    attempt: claim.attempt,
  });
  try {
    const source = await replanPassThrough(file, view.facts, signal);
    for (const range of planChunks(view.cutList)) {
      const from = Math.max(range.fromSegment, rendition.publishedTo);
      const end = Math.min(range.toSegment, task.toSegment);
      for (let n = from; n < end; n += 1) await writer.add(await readSegment(file, source, n), signal);
      const isLast = end === task.toSegment;
      if (from >= end || !(isLast || publishesGrowing(task.kind))) continue;
      const output = { renditionId: rendition.id, ...listed, widthPx: null, heightPx: null };
      const chunks = await writer.flush(signal);
      await publishChunks(deps, claim, { outputs: [{ ...output, chunks }], isLast });
      writer.committed(chunks);
      report((end - task.fromSegment) / (task.toSegment - task.fromSegment));
    }
  } catch (error) {
    await discardAfter(error, deps, writer.written);
    throw error;
  } finally {
    await file.close();
  }
}
