import { writeAudioSets, writeVideoSets } from './adaptation-set.ts';
import type { DashPresentation, DashRendition } from './dash-presentation.ts';
import { endTick } from './segment-timeline.ts';
import { xmlElement } from './xml.ts';

const NAMESPACES = { xmlns: 'urn:mpeg:dash:schema:mpd:2011', 'xmlns:cenc': 'urn:mpeg:cenc:2013' };
const PROFILE = 'urn:mpeg:dash:profile:isoff-live:2011';
/** Players wait for this much before they begin: a long segment of a passed-through source is no reason to. */
const MAX_START_BUFFER_SEC = 4;
const PLAIN_ID = /^[A-Za-z0-9_-]{1,200}$/;

/**
 * Writes the MPD of a whole timeline (ISO 23009-1 section 5.3): type static, one Period, over the segments that HLS
 * serves too. Addresses are relative to the video's folder. Each bandwidth is the peak of the rendition's
 * segments. Throws on no rendition, one without segments, sizes that do not
 * match, and an id that does not suit an address.
 */
export function writeMpd(presentation: DashPresentation): string {
  const renditions = [...presentation.video, ...presentation.audio];
  if (renditions.length === 0) throw new Error('Expected one rendition or more in an MPD, got none.');
  for (const rendition of renditions) checkRendition(rendition);
  const durationSec = Math.max(...renditions.map((it) => endTick(it) / it.timescale));
  const longestSec = Math.max(...renditions.map((it) => longestTicks(it) / it.timescale));
  const videoSets = writeVideoSets(presentation.video);
  const sets = [...videoSets, ...writeAudioSets(presentation.audio, videoSets.length)];
  const attributes = {
    ...NAMESPACES,
    profiles: PROFILE,
    type: 'static',
    mediaPresentationDuration: writeDuration(durationSec),
    maxSegmentDuration: writeDuration(longestSec),
    minBufferTime: writeDuration(Math.min(longestSec, MAX_START_BUFFER_SEC)),
  };
  const mpd = xmlElement('MPD', attributes, [xmlElement('Period', { id: '0', start: 'PT0S' }, sets)]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${mpd}\n`;
}

function checkRendition({ id, segmentDurationsTicks, segmentSizesBytes }: DashRendition): void {
  if (!PLAIN_ID.test(id)) throw new Error(`Expected a rendition id of plain characters, got ${JSON.stringify(id)}.`);
  const count = segmentDurationsTicks.length;
  if (count === 0) throw new Error(`Expected one segment or more in rendition ${id}, got none.`);
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

/** Seconds as xs:duration, rounded up to microseconds: nothing of the media lies behind the end. */
function writeDuration(durationSec: number): string {
  const microseconds = Math.ceil(Number((durationSec * 1e6).toFixed(3)));
  return `PT${(microseconds / 1e6).toFixed(6).replace(/\.?0+$/, '')}S`;
}
