import type { ListedMedia, LivePlaylist } from './read-live-playlist.ts';

/** Rounding error of durations in playlists, in seconds. */
const ROUNDING_SEC = 0.0001;
/**
 * Minimum duration of a partial segment as a share of the target, except for the last of a segment (section 4.4.4.9).
 */
const MIN_PART_SHARE = 0.85;

/** Checks one live media playlist against RFC 8216bis, sections 4.4.3, 4.4.4 and 6.2. Returns its faults. */
export function checkLivePlaylist(list: LivePlaylist): string[] {
  const faults = [...list.faults];
  const fault = (message: string) => void faults.push(message);
  checkVersion(list, fault);
  checkControl(list, fault);
  checkDurations(list, fault);
  checkParts(list, fault);
  checkHints(list, fault);
  checkReports(list, fault);
  checkDates(list.media, fault);
  return faults;
}

type Fault = (message: string) => void;

/** Section 8: what each version allows. */
function checkVersion({ version, media, skipped, partTargetSec }: LivePlaylist, fault: Fault): void {
  const least = skipped > 0 ? 9 : media.some(({ isGap }) => isGap) ? 8 : media.some(({ map }) => map !== null) ? 6 : 3;
  if (version < least) fault(`EXT-X-VERSION ${version} is below ${least}`);
  if (partTargetSec !== null && version < 6) fault('parts of fragmented MP4 need version 6');
}

/** Section 4.4.3.8. */
function checkControl({ control, targetSec, partTargetSec, skipped }: LivePlaylist, fault: Fault): void {
  const number = (name: string) => (control?.has(name) === true ? Number(control.get(name)) : null);
  const [skipSec, holdBackSec, partHoldBackSec] = ['CAN-SKIP-UNTIL', 'HOLD-BACK', 'PART-HOLD-BACK'].map(number);
  if (skipSec !== null && Number(skipSec) < 6 * targetSec) fault(`CAN-SKIP-UNTIL ${skipSec} is below six targets`);
  if (holdBackSec !== null && Number(holdBackSec) < 3 * targetSec)
    fault(`HOLD-BACK ${holdBackSec} is below three targets`);
  if (skipped > 0 && skipSec === null) fault('EXT-X-SKIP needs CAN-SKIP-UNTIL');
  if (partTargetSec === null) return;
  if (partHoldBackSec === null) fault('PART-HOLD-BACK is required where there are parts');
  // PART-HOLD-BACK must be at least twice PART-TARGET (MUST), and should be three times PART-TARGET (SHOULD).
  else if (Number(partHoldBackSec) < 3 * partTargetSec - ROUNDING_SEC) {
    fault(`PART-HOLD-BACK ${partHoldBackSec} is below three part targets`);
  }
}

/** Sections 4.4.3.1 and 4.4.4.1, and the EXT-X-MAP that fragmented MP4 needs. */
function checkDurations({ media, targetSec, skipped }: LivePlaylist, fault: Fault): void {
  for (const { sequence, durationSec, map, uri } of media) {
    // In a delta update, the skipped part may contain the EXT-X-MAP.
    if (map === null && skipped === 0) fault(`segment ${sequence} has no EXT-X-MAP`);
    if (uri === null) continue;
    if (durationSec === null || durationSec <= 0) fault(`segment ${sequence} lasts ${durationSec} s`);
    else if (Math.round(durationSec) > targetSec) fault(`segment ${sequence} of ${durationSec} s exceeds ${targetSec}`);
  }
  const open = media.findIndex(({ uri }) => uri === null);
  if (open !== -1 && open !== media.length - 1) fault('a segment that is not the last has no address');
  const addresses = media.flatMap(({ uri, parts }) => [...(uri === null ? [] : [uri]), ...parts.map((one) => one.uri)]);
  if (new Set(addresses).size < addresses.length) fault('a URL is listed twice');
}

/** Section 4.4.4.9. */
function checkParts({ media, partTargetSec }: LivePlaylist, fault: Fault): void {
  for (const { sequence, parts, uri, durationSec } of media) {
    if (parts.length > 0 && partTargetSec === null) fault('EXT-X-PART needs EXT-X-PART-INF');
    const longestSec = (partTargetSec ?? 0) + ROUNDING_SEC;
    const leastSec = (partTargetSec ?? 0) * MIN_PART_SHARE - ROUNDING_SEC;
    parts.forEach((part, index) => {
      if (part.durationSec > longestSec) fault(`part ${part.uri} of ${part.durationSec} s exceeds the part target`);
      // The last part of an open segment may turn out to be the last part of that segment.
      const isLast = index === parts.length - 1;
      if (part.durationSec < leastSec && !isLast && !part.isGap)
        fault(`part ${part.uri} lasts ${part.durationSec} s only`);
    });
    const sumSec = parts.reduce((sum, part) => sum + part.durationSec, 0);
    if (uri !== null && parts.length > 0 && Math.abs(sumSec - (durationSec ?? 0)) > ROUNDING_SEC * (parts.length + 1)) {
      fault(`the parts of segment ${sequence} last ${sumSec} s, it lasts ${durationSec} s`);
    }
  }
}

/** Section 4.4.5.3: one hint per type, for the next resource. */
function checkHints({ hints, media, hasEnded }: LivePlaylist, fault: Fault): void {
  const types = hints.map((hint) => hint.get('TYPE'));
  if (new Set(types).size < types.length) fault('two EXT-X-PRELOAD-HINT of one type');
  const listed = new Set(media.flatMap(({ uri, parts }) => [uri, ...parts.map((part) => part.uri)]));
  for (const hint of hints) if (listed.has(hint.get('URI') ?? '')) fault(`${hint.get('URI')} is hinted and listed`);
  if (hasEnded && hints.length > 0) fault('a playlist that has ended hints at more');
}

/** Section 4.4.5.4: LAST-PART is required for a rendition with parts. */
function checkReports({ reports, partTargetSec }: LivePlaylist, fault: Fault): void {
  const addresses = reports.map((report) => report.get('URI'));
  if (new Set(addresses).size < addresses.length) fault('two EXT-X-RENDITION-REPORT of one rendition');
  for (const report of reports) {
    if (partTargetSec !== null && !report.has('LAST-PART'))
      fault(`the report of ${report.get('URI')} has no LAST-PART`);
    if (URL.canParse(report.get('URI') ?? '')) fault('EXT-X-RENDITION-REPORT must have a relative URI');
  }
}

/** Section 4.4.4.6: dates increase, and if there are dates, each discontinuity has one. */
function checkDates(media: readonly ListedMedia[], fault: Fault): void {
  let latestMs = Number.NEGATIVE_INFINITY;
  const hasDates = media.some(({ dateTimeMs }) => dateTimeMs !== null);
  media.forEach(({ sequence, dateTimeMs, discontinuity, isGap }, index) => {
    const isNew = index > 0 && media[index - 1]?.discontinuity !== discontinuity;
    if (hasDates && isNew && dateTimeMs === null && !isGap)
      fault(`segment ${sequence} follows a discontinuity without a date`);
    if (dateTimeMs === null) return;
    if (dateTimeMs <= latestMs) fault(`the date of segment ${sequence} is not after the one before`);
    latestMs = dateTimeMs;
  });
}
