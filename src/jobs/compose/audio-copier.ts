import type { CompositionView } from '../../catalog/compose/composition-store.ts';
import type { TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import type { Guid } from '../../lib/guid.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import { readStoredFragments } from '../../media/cmaf/stored-fragments.ts';
import { copyAudioSegment } from '../../media/compose/copy-segment.ts';
import { segmentStartTicks } from '../../media/timeline/cut-list.ts';
import { readSourceSegment, sourceGone } from '../encode/copy-source-segment.ts';
import type { JobDeps } from '../job-deps.ts';

type Deps = Pick<JobDeps, 'db' | 'storage'>;
type Source = NonNullable<Awaited<ReturnType<typeof readSourceSegment>>>;

/**
 * Copies the audio of recorded streams into a composed video. An audio segment has the number of the video segment that
 * covers the same time.
 */
export type AudioCopier = { copy(number: number, signal: AbortSignal): Promise<Segment> };

/**
 * Copies segments of an audio track. Each part begins at the tick nearest to the start of its first video frame. Within
 * a part, the frames keep their intervals, so the offset between audio and video is unchanged. `number`s must ascend.
 */
export function createAudioCopier(view: CompositionView, rendition: TaskRendition, deps: Deps): AudioCopier {
  const { pieces, timescale } = view.recipe;
  const rate = rendition.timescale;
  const held = new Map<string, Source>();

  async function read(source: Guid, segment: number, signal: AbortSignal): Promise<Source> {
    const name = `${source}/${segment}`;
    const known = held.get(name);
    if (known !== undefined) return known;
    const found = await readSourceSegment(source, segment, deps, signal);
    if (found === null) throw sourceGone(source);
    // Keeps the two newest segments, because a segment ends where the next one starts.
    for (const old of [...held.keys()].slice(0, -1)) held.delete(old);
    held.set(name, found);
    return found;
  }

  const sourceOf = (part: number): Guid => {
    const source = rendition.plan.composedOf?.[part];
    if (source == null) throw new Error(`Expected part ${part} of rendition ${rendition.id} to have an audio track.`);
    return source;
  };

  const sourceTick = async (number: number, signal: AbortSignal): Promise<number> => {
    const piece = pieces[number];
    if (piece?.segment == null) throw new Error(`Expected segment ${number} to be copied.`);
    const { bytes, fragments } = await read(sourceOf(piece.part), piece.segment, signal);
    return readStoredFragments(bytes, fragments)[0]?.baseTick ?? 0;
  };

  const partStarts = new Map<number, { newTick: number; sourceTick: number }>();
  const startTick = async (number: number, signal: AbortSignal): Promise<number> => {
    const part = pieces[number]?.part ?? 0;
    const first = pieces.findIndex((piece) => piece.part === part);
    const newTick = Math.round((segmentStartTicks(view.cutList, first) * rate) / timescale);
    if (number === first) return newTick;
    const known = partStarts.get(part) ?? { newTick, sourceTick: await sourceTick(first, signal) };
    partStarts.set(part, known);
    return known.newTick + (await sourceTick(number, signal)) - known.sourceTick;
  };

  return {
    async copy(number, signal) {
      const piece = pieces[number];
      if (piece?.segment == null) throw new Error(`Expected segment ${number} to be copied.`);
      const start = await startTick(number, signal);
      const { bytes, fragments } = await read(sourceOf(piece.part), piece.segment, signal);
      const timing = { number, timescale: rate, startTick: start };
      if (number + 1 >= pieces.length) return copyAudioSegment(bytes, fragments, { ...timing, durationTicks: null });
      return copyAudioSegment(bytes, fragments, {
        ...timing,
        durationTicks: (await startTick(number + 1, signal)) - start,
      });
    },
  };
}
