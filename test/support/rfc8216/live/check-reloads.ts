import { checkLivePlaylist } from './check-live-playlist.ts';
import { type ListedMedia, type LivePlaylist, readLivePlaylist } from './read-live-playlist.ts';

/**
 * Checks the responses to reloads of one live media playlist, in order of arrival, against RFC 8216bis section 6.2.
 * Returns all faults. Delta updates are completed from the previous playlist, as a client does (section 6.3.7).
 */
export function checkReloads(texts: readonly string[]): string[] {
  const faults: string[] = [];
  let before: LivePlaylist | null = null;
  texts.forEach((text, index) => {
    const fault = (message: string) => void faults.push(`answer ${index}: ${message}`);
    const read = readLivePlaylist(text);
    for (const message of checkLivePlaylist(read)) fault(message);
    const list = read.skipped === 0 ? read : completeDelta(before, read, fault);
    if (before !== null) checkReload(before, list, fault);
    before = list;
  });
  return [...new Set(faults)];
}

/**
 * Section 6.2.4: all variants of a presentation have the same target durations, and discontinuities at the same
 * positions.
 */
export function checkVariants(texts: readonly string[]): string[] {
  const lists = texts.map(readLivePlaylist);
  const faults: string[] = [];
  if (new Set(lists.map(({ targetSec }) => targetSec)).size > 1) faults.push('target durations differ');
  if (new Set(lists.map(({ partTargetSec }) => partTargetSec)).size > 1) faults.push('part targets differ');
  const [first, ...others] = lists;
  for (const other of others) {
    for (const { sequence, discontinuity } of other.media) {
      const same = first?.media.find((one) => one.sequence === sequence);
      if (same !== undefined && same.discontinuity !== discontinuity) {
        faults.push(`segment ${sequence} has discontinuity ${same.discontinuity} and ${discontinuity}`);
      }
    }
  }
  return faults;
}

type Fault = (message: string) => void;

function completeDelta(before: LivePlaylist | null, delta: LivePlaylist, fault: Fault): LivePlaylist {
  const known = before?.media.filter(({ sequence }) => sequence >= delta.sequence) ?? [];
  const skipped = known.slice(0, delta.skipped);
  if (skipped.length < delta.skipped || skipped[0]?.sequence !== delta.sequence) {
    fault(`a delta update skips ${delta.skipped} segments from ${delta.sequence}, which were not all known`);
  }
  // Section 6.2.5.1: nothing after the skip boundary is skipped.
  const boundarySec = Number(delta.control?.get('CAN-SKIP-UNTIL'));
  const leftSec = delta.media.reduce((sum, one) => sum + (one.durationSec ?? partsSec(one)), 0);
  if (leftSec < boundarySec) fault(`a delta update lists ${leftSec} s, below the skip boundary of ${boundarySec} s`);
  const last = skipped.at(-1);
  const discontinuities = (last?.discontinuity ?? delta.discontinuitySequence) - delta.discontinuitySequence;
  // Tags before the skipped segments also apply to those that are listed.
  const media = delta.media.map((one) => ({
    ...one,
    map: one.map ?? last?.map ?? null,
    keys: one.map === null && one.keys.length === 0 ? (last?.keys ?? []) : one.keys,
    discontinuity: one.discontinuity + discontinuities,
  }));
  return { ...delta, skipped: 0, media: [...skipped, ...media] };
}

/** Sections 6.2.1 and 6.2.2: listed content stays unchanged until it is removed from the front. */
function checkReload(before: LivePlaylist, after: LivePlaylist, fault: Fault): void {
  if (after.sequence < before.sequence) fault(`EXT-X-MEDIA-SEQUENCE fell from ${before.sequence} to ${after.sequence}`);
  if (after.discontinuitySequence < before.discontinuitySequence) fault('EXT-X-DISCONTINUITY-SEQUENCE fell');
  if (after.targetSec !== before.targetSec)
    fault(`the target duration went from ${before.targetSec} to ${after.targetSec}`);
  if (after.partTargetSec !== before.partTargetSec && !after.hasEnded) fault('the part target changed');
  if (before.hasEnded && !after.hasEnded) fault('EXT-X-ENDLIST was removed');
  const later = new Map(after.media.map((one) => [one.sequence, one]));
  for (const one of before.media) {
    if (one.sequence < after.sequence) continue;
    const now = later.get(one.sequence);
    if (now === undefined) fault(`segment ${one.sequence} is gone`);
    else checkSame(one, now, fault);
  }
  const [hint] = before.hints;
  const open = later.get(before.media.at(-1)?.sequence ?? -1);
  if (hint === undefined || open === undefined || open.parts.length <= (before.media.at(-1)?.parts.length ?? 0)) return;
  const next = open.parts[before.media.at(-1)?.parts.length ?? 0];
  const isOpen = before.media.at(-1)?.uri === null;
  if (isOpen && next !== undefined && next.uri !== hint.get('URI'))
    fault(`${hint.get('URI')} was hinted at, ${next.uri} came`);
}

function checkSame(before: ListedMedia, now: ListedMedia, fault: Fault): void {
  const place = `segment ${before.sequence}`;
  if (now.discontinuity !== before.discontinuity) fault(`${place} changed its discontinuity`);
  if (now.map !== before.map) fault(`${place} changed its map from ${before.map} to ${now.map}`);
  if (now.isGap !== before.isGap && before.uri !== null) fault(`${place} became a gap, or ceased to be one`);
  if (before.uri !== null && (now.uri !== before.uri || now.durationSec !== before.durationSec)) {
    fault(`${place} went from ${before.uri} of ${before.durationSec} s to ${now.uri} of ${now.durationSec} s`);
  }
  const parts = now.parts.length === 0 ? [] : before.parts;
  parts.forEach((part, index) => {
    const same = now.parts[index];
    if (same?.uri !== part.uri || same.durationSec !== part.durationSec) fault(`part ${part.uri} changed`);
  });
  if (now.uri === null && now.parts.length < before.parts.length) fault(`${place} lost a part`);
}

function partsSec({ parts }: ListedMedia): number {
  return parts.reduce((sum, { durationSec }) => sum + durationSec, 0);
}
