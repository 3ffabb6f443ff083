import { BrokenMedia } from '../bmff/broken-media.ts';
import { AAC_FRAME_TICKS, createAacSegmenter, SILENT_FRAME } from './aac.ts';
import { AUDIO_RATE_HZ, type AudioForm, countAudioFrames } from './audio-grid.ts';
import { normaliseInit } from './init-segment.ts';
import type { Segment } from './segment.ts';
import type { InputFragment, Segmenter } from './segmenter.ts';

/**
 * Ticks that are added to the times of copied frames, because priming frames begin before 0 and decode times in
 * fragments cannot be negative.
 */
export const COPY_LEAD_TICKS = 10 * AUDIO_RATE_HZ;

/**
 * Maximum offset of a frame from its position. Beyond it, the frame moves by a whole frame, so audio is at most 15 ms
 * off.
 */
const MAX_OFFSET_TICKS = 700;

/** Maximum silence that a copy adds between frames. A longer gap means a broken clock. */
const MAX_FILL_FRAMES = 4 * 3600 * (AUDIO_RATE_HZ / AAC_FRAME_TICKS);

/**
 * Sample entries of ffmpeg's AAC-LC encoder at 48 kHz. All AAC tracks of one form have the same init segment, so that
 * parts of several videos can be joined.
 */
const SAMPLE_ENTRY_START =
  '0000005a6d703461000000000000000100000000000000000002001000000000bb800000000000366573647300000000' +
  '03808080250001000480808017401500000000';

/**
 * Formats of copied frames. `config` is the start of an AudioSpecificConfig (ISO 14496-3 section 1.6.2.1): AAC-LC, 48
 * kHz, two or six channels, frames of 1024.
 */
const STEREO = {
  config: Buffer.of(0x11, 0x90),
  entry: Buffer.from(`${SAMPLE_ENTRY_START}01f4000001f4000580808005119056e500068080800102`, 'hex'),
  silentFrame: SILENT_FRAME,
};
const SURROUND = {
  config: Buffer.of(0x11, 0xb0),
  entry: Buffer.from(`${SAMPLE_ENTRY_START}05dc000005dc00058080800511b056e500068080800102`, 'hex'),
  // One single channel element, two channel pairs and one LFE channel, all without spectral data.
  silentFrame: Buffer.from('011820010880230460231004608c0c230000e0', 'hex'),
};

function formatOf(form: AudioForm | undefined) {
  return form === 'surround' ? SURROUND : STEREO;
}

/** Offset of the configuration from the type of the esds box, as ffmpeg writes it with four-byte descriptor lengths. */
const CONFIG_AT = 39;

/**
 * Returns the init segment of copied frames, given the init segment of the copy. Throws BrokenMedia if the
 * configuration of the copy differs from `form`.
 */
export function copiedAacInit(init: Buffer, form?: AudioForm): Buffer {
  const expected = formatOf(form);
  const configAt = init.indexOf('esds') + CONFIG_AT;
  const config = init.subarray(configAt, configAt + expected.config.length);
  if (!expected.config.equals(config)) {
    throw new BrokenMedia(
      `Expected AAC-LC at 48 kHz with configuration ${expected.config.toString('hex')} to copy, got ` +
        `${config.toString('hex')}.`,
    );
  }
  return normaliseInit(init, { givenEntry: expected.entry });
}

/**
 * Regroups copied AAC frames into segments of a track of the given length. Puts each frame at the position nearest to
 * its time. Silent frames fill gaps. Frames that overlap or precede the start are dropped. The end is padded or cut.
 */
export function createCopiedAacSegmenter(durationSec: number, form?: AudioForm): Segmenter {
  const { silentFrame } = formatOf(form);
  const totalFrames = countAudioFrames(durationSec);
  const segmenter = createAacSegmenter({ sampleRateHz: AUDIO_RATE_HZ, firstSegment: 0, primingFrames: 0 });
  let next = 0;
  let hasBegun = false;

  function silence(frames: number): Uint8Array[] {
    return Array.from({ length: Math.max(0, frames) }, () => silentFrame);
  }

  function put(frames: readonly Uint8Array[]): Segment[] {
    const kept = frames.slice(0, totalFrames - next);
    const baseTick = next * AAC_FRAME_TICKS;
    next += kept.length;
    const samples = kept.map(({ length }) => {
      return { durationTicks: AAC_FRAME_TICKS, sizeBytes: length, compositionOffsetTicks: 0, isSync: true };
    });
    return kept.length === 0 ? [] : segmenter.push({ baseTick, samples, payload: Buffer.concat(kept) });
  }

  function place(tick: number, frame: Uint8Array): Uint8Array[] {
    const frameOffset = tick - next * AAC_FRAME_TICKS;
    const moved = hasBegun && Math.abs(frameOffset) <= MAX_OFFSET_TICKS ? 0 : Math.round(frameOffset / AAC_FRAME_TICKS);
    if (moved < 0) return [];
    hasBegun = true;
    if (moved > MAX_FILL_FRAMES)
      throw new BrokenMedia(`Expected AAC frames without a long gap, got a gap of ${moved} frames.`);
    return [...silence(Math.min(moved, totalFrames - next)), frame];
  }

  return {
    push(fragment) {
      return framesOf(fragment).flatMap(({ tick, bytes }) => put(place(tick, bytes)));
    },
    end() {
      if (!hasBegun) throw new BrokenMedia('Expected AAC frames to copy, got none.');
      return [...put(silence(totalFrames - next)), ...segmenter.end()];
    },
  };
}

function framesOf({ baseTick, samples, payload }: InputFragment): { tick: number; bytes: Uint8Array }[] {
  let [tick, at] = [baseTick - COPY_LEAD_TICKS, 0];
  return samples.map(({ durationTicks, sizeBytes }) => {
    const frame = { tick, bytes: payload.subarray(at, at + sizeBytes) };
    tick += durationTicks;
    at += sizeBytes;
    return frame;
  });
}
