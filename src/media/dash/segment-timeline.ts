import { peakOfWindows } from '../presentation/peak-of-windows.ts';
import type { DashRendition } from './dash-presentation.ts';
import { type Xml, xmlElement } from './xml.ts';

/** Returns the end tick of the last segment. */
export function endTick({ startTick, segmentDurationsTicks }: DashRendition): number {
  return segmentDurationsTicks.reduce((tick, durationTicks) => tick + durationTicks, startTick);
}

/** Returns the peak bit rate, computed as in HLS: a short last segment does not count. */
export function peakSegmentBps({ segmentSizesBytes, segmentDurationsTicks, timescale }: DashRendition): number {
  const segments = segmentDurationsTicks.map((ticks, number) => {
    return { bytes: segmentSizesBytes[number] ?? 0, sec: ticks / timescale };
  });
  const longestSec = segments.reduce((longest, { sec }) => Math.max(longest, sec), 0);
  return peakOfWindows(segments, Math.max(1, Math.round(longestSec)));
}

/** Whether two renditions have the same segment times and similar folders, so that they can share a template. */
export function haveSameTimeline(one: DashRendition, other: DashRendition): boolean {
  return (
    one.timescale === other.timescale &&
    one.segmentFolder === other.segmentFolder &&
    one.firstSegment === other.firstSegment &&
    one.startTick === other.startTick &&
    one.offsetTicks === other.offsetTicks &&
    one.segmentDurationsTicks.length === other.segmentDurationsTicks.length &&
    one.segmentDurationsTicks.every((ticks, number) => ticks === other.segmentDurationsTicks[number])
  );
}

/**
 * Writes the SegmentTemplate of a rendition, or of several with the same timeline (ISO 23009-1 section 5.3.9.6), with
 * exact ticks. Equal consecutive durations are written once with a count. Times are media times.
 */
export function writeSegmentTemplate(rendition: DashRendition): Xml {
  const attributes = {
    timescale: rendition.timescale,
    presentationTimeOffset: rendition.offsetTicks ?? 0,
    startNumber: rendition.firstSegment,
    initialization: `r/$RepresentationID$/${rendition.segmentFolder}init.mp4`,
    media: `r/$RepresentationID$/${rendition.segmentFolder}$Number$.m4s`,
  };
  return xmlElement('SegmentTemplate', attributes, [xmlElement('SegmentTimeline', {}, writeRuns(rendition))]);
}

function writeRuns({ startTick, segmentDurationsTicks }: DashRendition): Xml[] {
  const runs: { durationTicks: number; count: number }[] = [];
  for (const durationTicks of segmentDurationsTicks) {
    const open = runs.at(-1);
    if (open?.durationTicks === durationTicks) open.count += 1;
    else runs.push({ durationTicks, count: 1 });
  }
  return runs.map(({ durationTicks, count }, number) =>
    xmlElement('S', { t: number === 0 ? startTick : null, d: durationTicks, r: count > 1 ? count - 1 : null }),
  );
}
