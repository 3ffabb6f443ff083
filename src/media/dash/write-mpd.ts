import { writeAudioSets, writeVideoSets } from './adaptation-set.ts';
import type { DashGrowth, DashPeriod, DashPresentation, DashRendition } from './dash-presentation.ts';
import { endTick } from './segment-timeline.ts';
import { type Xml, xmlElement } from './xml.ts';

const NAMESPACES = { xmlns: 'urn:mpeg:dash:schema:mpd:2011', 'xmlns:cenc': 'urn:mpeg:cenc:2013' };
const PROFILE = 'urn:mpeg:dash:profile:isoff-live:2011';
const CLOCK = 'urn:mpeg:dash:utc:direct:2014';
/** Maximum start buffer of players, in seconds. Long segments of a pass-through source do not increase it. */
const MAX_START_BUFFER_SEC = 4;
const PLAIN_ID = /^[A-Za-z0-9_-]{1,200}$/;

/**
 * Writes the MPD of a whole timeline (ISO 23009-1 section 5.3): type static, one Period, with the segments that HLS
 * also uses. URLs are relative to the video's folder. Each bandwidth is the peak of the rendition's segments. Throws
 * for no rendition, a rendition without segments, sizes that do not match, and an id that is not URL-safe.
 */
export function writeMpd(presentation: DashPresentation): string {
  return writePeriods([{ ...presentation, id: '0', startSec: 0 }], null);
}

/** Like `writeMpd`, for one or more Periods: type static, or dynamic while the presentation grows. */
export function writePeriods(periods: readonly DashPeriod[], growth: DashGrowth | null): string {
  const renditions = periods.flatMap(({ video, audio }) => [...video, ...audio]);
  if (renditions.length === 0) throw new Error('Expected at least one rendition in an MPD, got none.');
  for (const rendition of renditions) checkRendition(rendition);
  const durationSec = Math.max(...periods.map((period) => period.startSec + lengthSec(period)));
  const longestSec = Math.max(...renditions.map((it) => longestTicks(it) / it.timescale));
  const attributes = {
    ...NAMESPACES,
    profiles: PROFILE,
    ...(growth === null
      ? { type: 'static', mediaPresentationDuration: writeDuration(durationSec) }
      : growthAttributes(growth)),
    maxSegmentDuration: writeDuration(longestSec),
    minBufferTime: writeDuration(Math.min(longestSec, MAX_START_BUFFER_SEC)),
  };
  const clock =
    growth === null ? [] : [xmlElement('UTCTiming', { schemeIdUri: CLOCK, value: writeTime(growth.publishedMs) })];
  const mpd = xmlElement('MPD', attributes, [...periods.map(writePeriod), ...clock]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${mpd}\n`;
}

function growthAttributes({ availabilityStartMs, publishedMs, windowSec, delaySec, updateSec }: DashGrowth) {
  return {
    type: 'dynamic',
    availabilityStartTime: writeTime(availabilityStartMs),
    publishTime: writeTime(publishedMs),
    minimumUpdatePeriod: writeDuration(updateSec),
    timeShiftBufferDepth: writeDuration(windowSec),
    suggestedPresentationDelay: writeDuration(delaySec),
  };
}

function writePeriod({ id, startSec, video, audio }: DashPeriod): Xml {
  const videoSets = writeVideoSets(video);
  const start = startSec === 0 ? 'PT0S' : writeDuration(startSec);
  return xmlElement('Period', { id, start }, [...videoSets, ...writeAudioSets(audio, videoSets.length)]);
}

function lengthSec({ video, audio }: DashPresentation): number {
  return Math.max(...[...video, ...audio].map((it) => endTick(it) / it.timescale));
}

function checkRendition({ id, segmentDurationsTicks, segmentSizesBytes }: DashRendition): void {
  if (!PLAIN_ID.test(id)) throw new Error(`Expected a rendition id of plain characters, got ${JSON.stringify(id)}.`);
  const count = segmentDurationsTicks.length;
  if (count === 0) throw new Error(`Expected at least one segment in rendition ${id}, got none.`);
  if (segmentSizesBytes.length !== count) {
    throw new Error(`Expected ${count} segment sizes in rendition ${id}, got ${segmentSizesBytes.length}.`);
  }
  if (!segmentDurationsTicks.every((ticks) => Number.isSafeInteger(ticks) && ticks > 0)) {
    throw new Error(`Expected segments of whole ticks above 0 in rendition ${id}.`);
  }
}

function longestTicks({ segmentDurationsTicks }: DashRendition): number {
  return segmentDurationsTicks.reduce((longest, ticks) => Math.max(longest, ticks), 0);
}

/** Formats seconds as xs:duration, rounded up to microseconds so that no media is after the end. */
function writeDuration(durationSec: number): string {
  const microseconds = Math.ceil(Number((durationSec * 1e6).toFixed(3)));
  return `PT${(microseconds / 1e6).toFixed(6).replace(/\.?0+$/, '')}S`;
}

function writeTime(ms: number): string {
  return new Date(ms).toISOString();
}
