import type { RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import type { RecordedView } from '../../catalog/live/recording/recorded-view-store.ts';
import { blankSegment, makeBlank } from '../../media/live/publishing/run-blank.ts';
import type { ChunkWriter } from './store-chunk.ts';

/** Segments of a recording's period without video, which get a black picture. */
type BlankRange = { view: RecordedView; fromSegment: number; toSegment: number; writers: readonly ChunkWriter[] };

/**
 * Stores black video for segments of a period that has only audio, because players cannot play a period without video
 * after or before one with video.
 */
export async function encodeBlank(
  { view, fromSegment, toSegment, writers }: BlankRange,
  signal: AbortSignal,
): Promise<RenditionOutput[]> {
  const { cutList } = view;
  const outputs: RenditionOutput[] = [];
  for (const [index, rendition] of view.renditions.entries()) {
    const { id, widthPx, heightPx } = rendition;
    const writer = writers[index];
    if (widthPx === null || heightPx === null || writer === undefined)
      throw new Error(`Expected rendition ${id} to have a size and a writer.`);
    const blank = await makeBlank({ widthPx, heightPx, timescale: cutList.timescale }, signal);
    for (let number = fromSegment; number < toSegment; number += 1)
      await writer.add(blankSegment(blank, cutList, number), signal);
    const chunks = await writer.flush(signal);
    outputs.push({
      renditionId: id,
      init: blank.init,
      codecString: blank.facts.codecString,
      widthPx,
      heightPx,
      chunks,
    });
  }
  return outputs;
}
