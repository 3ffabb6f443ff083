import { SOURCE_FAULTS } from '../../lib/error-catalogue.ts';
import type { SourceFault } from '../../media/probe/source-facts.ts';
import { CANCELLED_VALUE } from '../renditions/kept-message.ts';
import type { MediaMessage } from '../schema.ts';

/** Severities of the hosted API. */
const LEVEL = { information: 1, warning: 2, error: 3 } as const;

/** IssueCodes of the hosted API that encoding uses. */
const ISSUE = {
  undefined: 0,
  transcodingWarnings: 2,
  originalCorrupted: 7,
  transcriptionFailed: 8,
  jitIncompatible: 9,
  jitFailed: 10,
} as const;

/** Message for a source that cannot become a video; `value` is the machine-readable kind. */
export function faultMessage(fault: SourceFault, at: Date): MediaMessage {
  return make(LEVEL.error, SOURCE_FAULTS[fault.kind].issueCode, fault.message, fault.kind, at);
}

export function warningMessage(message: string, at: Date): MediaMessage {
  return make(LEVEL.warning, ISSUE.transcodingWarnings, message, '', at);
}

/** Message for a video that could not be transcribed, or has nothing to transcribe. */
export function transcriptionMessage(message: string, at: Date): MediaMessage {
  return make(LEVEL.warning, ISSUE.transcriptionFailed, message, '', at);
}

/** Message for a rendition that could not be created while the others were. `rendition` is its name, such as `720p`. */
export function renditionMessage(rendition: string, reason: string, at: Date): MediaMessage {
  return make(LEVEL.warning, ISSUE.transcodingWarnings, `${rendition} could not be created: ${reason}`, rendition, at);
}

/** Name of a video's images in its messages. */
export const IMAGES_VALUE = 'Storyboard, thumbnails and previews';

/** Value of the message that lists what a finished video lacks. */
export const INCOMPLETE_VALUE = 'incomplete';

/** Message for a finished video that lacks planned renditions or images. `missing` contains their names. */
export function incompleteMessage(missing: readonly string[], at: Date): MediaMessage {
  const message = `The video is incomplete: ${missing.join(', ')} could not be created. Retry the failed parts.`;
  return make(LEVEL.warning, ISSUE.transcodingWarnings, message, INCOMPLETE_VALUE, at);
}

/** Message for an audio track that could only be decoded in part; the rest is silent. */
export function lostAudioMessage(
  { lostSec, durationSec }: { lostSec: number; durationSec: number },
  at: Date,
): MediaMessage {
  const share = `${lostSec.toFixed(1)} of ${durationSec.toFixed(1)} seconds`;
  const message = `${share} of the audio could not be decoded and are silent.`;
  return make(LEVEL.warning, ISSUE.originalCorrupted, message, 'sound-damaged', at);
}

/** Message for a video that should have been encoded on demand but is encoded as a whole. */
export function onDemandIncompatibleMessage(reason: string, at: Date): MediaMessage {
  const message = `The video is encoded as a whole and not on demand: ${reason}.`;
  return make(LEVEL.warning, ISSUE.jitIncompatible, message, 'jit-incompatible', at);
}

/** Message for a segment that could not be encoded on demand; `rendition` is its name, such as `720p`. */
export function onDemandFailedMessage(rendition: string, segment: number, reason: string, at: Date): MediaMessage {
  const message = `Segment ${segment} of ${rendition} could not be encoded on demand: ${reason}`;
  return make(LEVEL.warning, ISSUE.jitFailed, message, rendition, at);
}

/** Message for a rendition that was left out because it would add nothing. */
export function leftOutMessage(rendition: string, at: Date): MediaMessage {
  const message = `${rendition} was left out: it would take nearly as many bits as the resolution above it.`;
  return make(LEVEL.information, ISSUE.undefined, message, rendition, at);
}

/** Message for stored bytes of a rendition that are damaged and cannot be encoded again. */
export function damagedMessage(
  damage: { name: string; renditionId: string; segments: [number, number]; what: string; reason: string },
  at: Date,
): MediaMessage {
  const { name, renditionId, segments, what, reason } = damage;
  const value = damagedValue({ renditionId, firstSegment: segments[0] });
  const lost = nameSegments(segments);
  const message = `${lost} of ${name} cannot be played: ${what}. Nothing was repaired, because ${reason}.`;
  return make(LEVEL.error, ISSUE.undefined, message, value, at);
}

/** Prefix of the value of every damage message, and value of every repair message. */
export const DAMAGED = 'damaged ';
export const REPAIRED_VALUE = 'repaired';

/** Identifies a damaged range, so that it is reported only once. */
export function damagedValue({ renditionId, firstSegment }: { renditionId: string; firstSegment: number }): string {
  return `${DAMAGED}${renditionId}/${firstSegment}`;
}

/** Message for a damaged stored original. */
export function damagedOriginalMessage(what: string, at: Date): MediaMessage {
  const message =
    `The original file is damaged in the store: ${what}. The video still plays, but nothing can be created ` +
    'from the original any more.';
  return make(LEVEL.error, ISSUE.originalCorrupted, message, `${DAMAGED}original`, at);
}

/** Message for damage in the store that was repaired. */
export function repairedMessage(name: string, segments: [number, number], at: Date): MediaMessage {
  const message = `${nameSegments(segments)} of ${name} were damaged in the store and encoded again from the original.`;
  return make(LEVEL.information, ISSUE.undefined, message, REPAIRED_VALUE, at);
}

function nameSegments([first, last]: [number, number]): string {
  return `Segments ${first} to ${last}`;
}

/** Prefix of an encode task's failure reason if its encoder ran out of memory. */
export const MEMORY_REASON = 'memory: ';

/** Failure reason of cancelled encode tasks, and of everything that is unfinished because of them. */
export const CANCELLED_REASON = 'Its encoding was cancelled.';

/** Returns the machine-readable kind of a failure that is not caused by the source. */
export function failureKind(reason: string): 'memory' | typeof CANCELLED_VALUE | 'encode-failed' {
  if (reason === CANCELLED_REASON) return CANCELLED_VALUE;
  return reason.startsWith(MEMORY_REASON) ? 'memory' : 'encode-failed';
}

/** Message for a video that failed as a whole for a reason other than its source. */
export function failureMessage(reason: string, at: Date): MediaMessage {
  return make(LEVEL.error, ISSUE.undefined, reason, failureKind(reason), at);
}

function make(level: 1 | 2 | 3, issueCode: number, message: string, value: string, at: Date): MediaMessage {
  return { at: at.toISOString(), level, issueCode, message, value };
}
