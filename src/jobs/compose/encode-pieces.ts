import type { Readable } from 'node:stream';
import { type CompositionView, findPartOriginal } from '../../catalog/compose/composition-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import { createVideoSegmenter } from '../../media/cmaf/segmenter.ts';
import type { Piece } from '../../media/compose/plan-pieces.ts';
import { findCodec } from '../../media/encode/codecs/all.ts';
import { planEncode } from '../../media/encode/encode.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { toNumber } from '../../media/probe/frame-rate.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import { rungOf } from '../encode/encode-rungs.ts';
import { openPlanned } from '../encode/open-planned.ts';
import { endReading, type PicturesInit, readEncodedVideo } from '../encode/read-encoded-video.ts';
import { readWatermark } from '../encode/read-watermark.ts';
import type { JobDeps } from '../job-deps.ts';

/** Pieces of one part that one encoder run produces as the segments from `firstSegment` on. */
export type PieceRun = { kind: 'encode'; firstSegment: number; pieces: Piece[] };

type PiecesJob = { libraryId: number; view: CompositionView; run: PieceRun };
type Encoded = { kind: 'segment'; at: number; segment: Segment } | { kind: 'init'; at: number; init: PicturesInit };

/** Niceness of the encoder process. */
const NICENESS = 5;

/**
 * Encodes pieces from the original of their part, for all renditions of the encode task. In the output, `at` is the
 * index of the rendition.
 */
export async function* encodePieces(
  { libraryId, view, run }: PiecesJob,
  deps: JobDeps,
  signal: AbortSignal,
): AsyncGenerator<Encoded> {
  const part = view.recipe.parts[run.pieces[0]?.part ?? 0];
  const original = part === undefined ? null : await findPartOriginal(deps.db, { libraryId, mediaId: part.mediaId });
  if (part === undefined || original === null) {
    throw new Refused(
      'invalid',
      'The original of a part of this video no longer exists. It is needed to encode the ends of the part.',
    );
  }
  const cutList = cutAt(run.pieces, view.recipe.timescale, part, original.facts);
  const local = await openPlanned(deps.sources, original, signal);
  const stop = new AbortController();
  try {
    const watermark = await readWatermark(deps.storage, libraryId, part.watermark, signal);
    const plan = planEncode({
      facts: original.facts,
      cutList,
      range: { fromSegment: 1, toSegment: 1 + run.pieces.length },
      rungs: view.renditions.map(rungOf),
      codec: findCodec(view.renditions[0]?.codec ?? ''),
      watermark,
      colours: view.renditions[0]?.plan.colours,
      decoderThreads: 1,
      encoderThreads: 1,
    });
    const { encoderMemoryBytes: memoryBytes } = deps;
    const { durationSec: sourceDurationSec } = original.facts;
    const options = { sourcePath: local.path, sourceDurationSec, niceness: NICENESS, memoryBytes };
    const encoder = await runFfmpeg(plan, options, AbortSignal.any([signal, stop.signal]));
    const reading = encoder.outputs.map((output) =>
      readRung(output, { cutList: view.cutList, hdrBoxes: plan.hdrBoxes }, run),
    );
    await endReading(encoder, stop, reading);
    for (const [index, { init, segments }] of (await Promise.all(reading)).entries()) {
      if (init !== null) yield { kind: 'init', at: index, init };
      for (const segment of segments) yield { kind: 'segment', at: index, segment };
    }
  } finally {
    await local.release();
  }
}

async function readRung(
  output: Readable,
  { cutList, hdrBoxes }: { cutList: CutList; hdrBoxes: readonly Buffer[] },
  { firstSegment, pieces }: PieceRun,
): Promise<{ init: PicturesInit | null; segments: Segment[] }> {
  const segmenter = createVideoSegmenter({ cutList, firstSegment, segmentCount: pieces.length });
  const segments: Segment[] = [];
  let init: PicturesInit | null = null;
  for await (const part of readEncodedVideo(output, segmenter, hdrBoxes)) {
    if (part.kind === 'init') init = part;
    else if (part.kind === 'segment') segments.push(part.segment);
  }
  return { init, segments };
}

type PartGrid = CompositionView['recipe']['parts'][number];

/**
 * Returns a cut list in which the pieces are the segments from 1 on. On a source's own time grid, a frame is assigned
 * to the nearest cut, and is shown from that cut on.
 */
function cutAt(
  pieces: readonly Piece[],
  timescale: number,
  { grid, endTicks }: PartGrid,
  { video }: SourceFacts,
): CutList {
  const isSource = grid.kind === 'source' && video !== null;
  const early = isSource ? Math.floor(timescale / toNumber(video.rate) / 2) : 0;
  const borders = [...pieces.map(({ fromTick }) => fromTick), pieces.at(-1)?.toTick ?? 0];
  const startTicks = [0, ...borders.map((tick) => (tick === 0 || tick >= endTicks ? tick : tick - early))];
  return { timescale, startTicks, endTicks: Math.max(endTicks, (startTicks.at(-1) ?? 0) + 1), grid };
}
