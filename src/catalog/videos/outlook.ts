import { SOURCE_FAULTS, type SourceFaultKind } from '../../lib/error-catalogue.ts';
import { CANCELLED_VALUE } from '../renditions/kept-message.ts';
import type { MediaState } from '../schema.ts';

/** Work in one queue up to the end of a video's encode tasks in that queue, in seconds of one slot. */
export type QueueOutlook = {
  /** Work of the video's own encode tasks. */
  ownSec: number;
  isRunning: boolean;
  /** True if only the thumbnails and the storyboard are missing. */
  isOnlyImages: boolean;
  /** Number of other videos of the library whose encode tasks are ahead, and the work of these tasks. */
  videosAhead: number;
  aheadSec: number;
  /**
   * Number of other libraries with tasks in the queue. `otherLibrariesSec` is the waiting or running work of a sample
   * of them.
   */
  otherLibraries: number;
  otherLibrariesSec: readonly number[];
  /** Number of slots in use. */
  slots: number;
  /** Seconds by which its encode tasks are delayed, so that the encoders are free for requests of viewers. */
  delaySec: number;
};

/**
 * Facts from the rows that explain why a video is not finished yet. `uploadsAhead` are videos of its library that are
 * planned before it.
 */
export type OutlookView = {
  state: MediaState;
  reason: string | null;
  uploadsAhead: number;
  queues: readonly QueueOutlook[];
  /** Reason and attempts of an encode task that waits after an error, or for something other than a slot. */
  heldUp: { reason: string; failures: number } | null;
};

/**
 * Explanation of why a video is not finished, with an estimate: `waitsFor` videos of its library are ahead; `etaSec` is
 * null if it cannot be estimated. `needsOtherFile` is true if its file can never become a video.
 */
export type Outlook = {
  waitsFor: number;
  otherLibraries: number;
  etaSec: number | null;
  needsOtherFile: boolean;
  message: string;
};

/**
 * Explains why a video is not finished, and estimates when it will be. Libraries share the encoders evenly, so each
 * other library uses at most as much as this one in the same time.
 */
export function describeOutlook(view: OutlookView): Outlook {
  const { state, reason } = view;
  switch (state) {
    case 'created':
      return plain('Waiting for its file.');
    case 'upload-failed':
      return plain(`Waiting for its file: the last upload failed. ${sentence(reason)}`);
    case 'finished':
      return { ...plain('Finished.'), etaSec: 0 };
    case 'failed':
      if (reason === CANCELLED_VALUE) return plain('Its encoding was cancelled. Re-encode the video to finish it.');
      return reportFailed(reason);
    case 'uploaded':
    case 'processing':
      return reportUnplanned(view);
    case 'transcoding':
    case 'jit-segmenting':
    case 'jit-ready':
      return reportEncoding(view);
  }
}

function reportFailed(reason: string | null): Outlook {
  if (reason === null || !isSourceFault(reason)) return plain(sentence(reason));
  const { sentence: words, isFinal } = SOURCE_FAULTS[reason];
  return { ...plain(words), needsOtherFile: isFinal };
}

function isSourceFault(reason: string): reason is SourceFaultKind {
  return Object.hasOwn(SOURCE_FAULTS, reason);
}

function reportUnplanned({ state, reason, uploadsAhead }: OutlookView): Outlook {
  const isHeldUp = state === 'processing' && reason !== null && reason.startsWith('waiting');
  if (isHeldUp) return plain(sentence(reason));
  if (state === 'processing') return plain('Probing the file; the encoding time is known after that.');
  const ahead = uploadsAhead === 0 ? 'Next to be probed' : `Waiting for ${others(uploadsAhead)} to be probed`;
  return { ...plain(`${ahead}; the encoding time is known after that.`), waitsFor: uploadsAhead };
}

function reportEncoding({ state, queues, heldUp }: OutlookView): Outlook {
  const waitsFor = Math.max(0, ...queues.map(({ videosAhead }) => videosAhead));
  const otherLibraries = Math.max(0, ...queues.map((queue) => queue.otherLibraries));
  const isRunning = queues.some((queue) => queue.isRunning);
  if (heldUp !== null && !isRunning) return { ...plain(reportHeldUp(heldUp)), waitsFor };
  if (queues.length === 0) return plain(state === 'transcoding' ? 'Almost done.' : 'Playable; encoded on demand.');
  const etaSec = Math.ceil(Math.max(...queues.map(queueSec)));
  const leaves = queues.every(({ delaySec }) => delaySec > 0);
  const next = leaves ? 'Waiting while its first viewers use the encoders' : 'Next in the queue';
  const isOnlyImages = queues.every((queue) => queue.isOnlyImages);
  const doing = isOnlyImages ? 'Its images are being finished' : 'Being encoded';
  const what = isRunning ? doing : waitsFor === 0 ? next : `Waiting for ${others(waitsFor)}`;
  const plays = state === 'jit-ready' ? 'Playable. ' : '';
  const sharing =
    otherLibraries === 0 ? '' : `, sharing encoders with ${count(otherLibraries, 'other library', 'other libraries')}`;
  return {
    waitsFor: isRunning ? 0 : waitsFor,
    otherLibraries,
    etaSec,
    needsOtherFile: false,
    message: `${plays}${what}${sharing}; done in about ${duration(etaSec)}.`,
  };
}

function queueSec({ ownSec, aheadSec, otherLibraries, otherLibrariesSec, slots, delaySec }: QueueOutlook): number {
  const mine = ownSec + aheadSec;
  const sampled = otherLibrariesSec.reduce((sum, sec) => sum + Math.min(sec, mine), 0);
  const theirs = (sampled * otherLibraries) / Math.max(1, otherLibrariesSec.length);
  return Math.max(delaySec + ownSec, (mine + theirs) / Math.max(1, slots));
}

function reportHeldUp({ reason, failures }: { reason: string; failures: number }): string {
  return failures === 0 ? sentence(reason) : `Retried after ${count(failures, 'failure')}: ${sentence(reason)}`;
}

function others(number: number): string {
  return `${number} ${number === 1 ? 'other video' : 'other videos'} of this library`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function duration(sec: number): string {
  if (sec < 60) return `${Math.max(1, sec)} s`;
  return sec < 5400 ? `${Math.round(sec / 60)} min` : `${(sec / 3600).toFixed(1)} h`;
}

function sentence(text: string | null): string {
  if (text === null || text === '') return 'No reason was recorded.';
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return capital.endsWith('.') ? capital : `${capital}.`;
}

function plain(message: string): Outlook {
  return { waitsFor: 0, otherLibraries: 0, etaSec: null, needsOtherFile: false, message };
}
