import { SOURCE_FAULTS } from '../../lib/error-catalogue.ts';
import type { SourceFault } from '../../media/probe/source-facts.ts';
import { CANCELLED_VALUE } from '../renditions/kept-message.ts';
import type { MediaMessage } from '../schema.ts';

/** Severity as in the wire enum. */
const LEVEL = { information: 1, warning: 2, error: 3 } as const;

/** IssueCodes as in the wire enum, those that encoding uses. */
const ISSUE = {
  undefined: 0,
  transcodingWarnings: 2,
  originalCorrupted: 7,
  transcriptionFailed: 8,
  jitIncompatible: 9,
  jitFailed: 10,
} as const;

/** What a video's messages say of a source that cannot become a video; `value` holds the machine-readable kind. */
export function faultMessage(fault: SourceFault, at: Date): MediaMessage {
  return make(LEVEL.error, SOURCE_FAULTS[fault.kind].issueCode, fault.message, fault.kind, at);
}

export function warningMessage(message: string, at: Date): MediaMessage {
  return make(LEVEL.warning, ISSUE.transcodingWarnings, message, '', at);
}

/** What is said in a video could not be transcribed, or there was nothing to transcribe. */
export function transcriptionMessage(message: string, at: Date): MediaMessage {
  return make(LEVEL.warning, ISSUE.transcriptionFailed, message, '', at);
}

/** One rendition could not be made; the others stand. `rendition` is its name, such as `720p`. */
export function renditionMessage(rendition: string, reason: string, at: Date): MediaMessage {
  return make(LEVEL.warning, ISSUE.transcodingWarnings, `${rendition} could not be made: ${reason}`, rendition, at);
}

/** What the images of a video are called in its messages. */
export const IMAGES_VALUE = 'Storyboard, thumbnails and previews';

/** The value of the line that says what a finished video lacks. */
export const INCOMPLETE_VALUE = 'incomplete';

/** The video is finished, but renditions or images that were planned could not be made; `missing` are their names. */
export function incompleteMessage(missing: readonly string[], at: Date): MediaMessage {
  const message = `The video is finished, incomplete: ${missing.join(', ')} could not be made. Retry makes them again.`;
  return make(LEVEL.warning, ISSUE.transcodingWarnings, message, INCOMPLETE_VALUE, at);
}

/** Part of an audio track could not be decoded and is silent. */
export function lostAudioMessage(
  { lostSec, durationSec }: { lostSec: number; durationSec: number },
  at: Date,
): MediaMessage {
  const share = `${lostSec.toFixed(1)} of ${durationSec.toFixed(1)} seconds`;
  const message = `${share} of the sound could not be decoded and are silent.`;
  return make(LEVEL.warning, ISSUE.originalCorrupted, message, 'sound-damaged', at);
}

/** The video was to be encoded on demand and is encoded as a whole instead. */
export function onDemandIncompatibleMessage(reason: string, at: Date): MediaMessage {
  const message = `The video is encoded as a whole and not on demand: ${reason}.`;
  return make(LEVEL.warning, ISSUE.jitIncompatible, message, 'jit-incompatible', at);
}

/** A segment could not be encoded on demand; `rendition` is its name, such as `720p`. */
export function onDemandFailedMessage(rendition: string, segment: number, reason: string, at: Date): MediaMessage {
  const message = `Segment ${segment} of ${rendition} could not be encoded on demand: ${reason}`;
  return make(LEVEL.warning, ISSUE.jitFailed, message, rendition, at);
}

/** One rendition was not made, for it would have gained nothing. */
export function leftOutMessage(rendition: string, at: Date): MediaMessage {
  const message = `${rendition} was left out: it would take nearly as many bits as the resolution above it.`;
  return make(LEVEL.information, ISSUE.undefined, message, rendition, at);
}

/** What is stored of a rendition is damaged and cannot be made anew. */
export function damagedMessage(
  damage: { name: string; renditionId: string; segments: [number, number]; what: string; reason: string },
  at: Date,
): MediaMessage {
  const { name, renditionId, segments, what, reason } = damage;
  const value = damagedValue({ renditionId, firstSegment: segments[0] });
  const lost = nameSegments(segments);
  const message = `${lost} of ${name} cannot be played: ${what}. Nothing was made anew, for ${reason}.`;
  return make(LEVEL.error, ISSUE.undefined, message, value, at);
}

/** What the value of each line about damage begins with, and that of each about what was mended. */
export const DAMAGED = 'damaged ';
export const REPAIRED_VALUE = 'repaired';

/** Distinguishes one damage from another, so that none is reported twice. */
export function damagedValue({ renditionId, firstSegment }: { renditionId: string; firstSegment: number }): string {
  return `${DAMAGED}${renditionId}/${firstSegment}`;
}

/** The stored original is damaged. */
export function damagedOriginalMessage(what: string, at: Date): MediaMessage {
  const message =
    `The original file is damaged in the store: ${what}. The video plays on, but nothing sound can be made from ` +
    'it any more.';
  return make(LEVEL.error, ISSUE.originalCorrupted, message, `${DAMAGED}original`, at);
}

/** What was damaged in the store was made anew. */
export function repairedMessage(name: string, segments: [number, number], at: Date): MediaMessage {
  const message = `${nameSegments(segments)} of ${name} were damaged in the store and made anew from the original.`;
  return make(LEVEL.information, ISSUE.undefined, message, REPAIRED_VALUE, at);
}

function nameSegments([first, last]: [number, number]): string {
  return `Segments ${first} to ${last}`;
}

/** What the reason of an encode task begins with whose encoder wanted more memory than it may have. */
export const MEMORY_REASON = 'memory: ';

/** The reason of encode tasks that were cancelled, and of all that they leave unmade. */
export const CANCELLED_REASON = 'Its encoding was cancelled.';

/** The machine-readable kind of a failure that is not the source's. */
export function failureKind(reason: string): 'memory' | typeof CANCELLED_VALUE | 'encode-failed' {
  if (reason === CANCELLED_REASON) return CANCELLED_VALUE;
  return reason.startsWith(MEMORY_REASON) ? 'memory' : 'encode-failed';
}

/** The whole video failed for a reason that is not the source's. */
export function failureMessage(reason: string, at: Date): MediaMessage {
  return make(LEVEL.error, ISSUE.undefined, reason, failureKind(reason), at);
}

function make(level: 1 | 2 | 3, issueCode: number, message: string, value: string, at: Date): MediaMessage {
  return { at: at.toISOString(), level, issueCode, message, value };
}
