import { BrokenMedia } from '../../bmff/broken-media.ts';
import type { TrackConfig } from './access-unit.ts';
import { aacDescriptor, audioEntry } from './sample-entry.ts';
import { silentAacFrame } from './silent-aac.ts';

/** Sample rates by index (ISO 14496-3 table 1.18). */
const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const EXPLICIT_RATE = 15;
/** Number of channels by channel configuration (ISO 14496-3 table 1.19). */
const CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8];
const FRAME_SAMPLES = 1024;

/**
 * Returns the parameters of audio that has not arrived yet: AAC-LC at 48 kHz, which is also the output format of
 * encoded audio.
 */
export function usualAacConfig(channels: number): TrackConfig {
  const head = Buffer.alloc(2);
  const number = CHANNELS.indexOf(channels);
  head.writeUInt16BE((2 << 11) | (SAMPLE_RATES.indexOf(48_000) << 7) | ((number < 1 ? 2 : number) << 3));
  return aacConfig(head);
}

/** Reads an AudioSpecificConfig (ISO 14496-3 section 1.6.2.1). Throws BrokenMedia if it has no sample rate. */
export function aacConfig(audioSpecificConfig: Buffer): TrackConfig {
  if (audioSpecificConfig.length < 2 || audioSpecificConfig.length > 64) {
    throw new BrokenMedia(`Expected an AudioSpecificConfig of 2 to 64 bytes, got ${audioSpecificConfig.length}.`);
  }
  const head = audioSpecificConfig.readUInt16BE(0);
  const rateIndex = (head >> 7) & 0x0f;
  const hasRate = rateIndex === EXPLICIT_RATE && audioSpecificConfig.length >= 5;
  const rate = hasRate ? (audioSpecificConfig.readUIntBE(1, 4) >>> 7) & 0xffffff : SAMPLE_RATES[rateIndex];
  if (rate === undefined || rate === 0)
    throw new BrokenMedia(`Expected a sampling frequency index of 0 to ${SAMPLE_RATES.length - 1}, got ${rateIndex}.`);
  const channelIndex = hasRate ? (audioSpecificConfig.readUInt8(4) >> 3) & 0x0f : (head >> 3) & 0x0f;
  const channels = CHANNELS[channelIndex] || 2;
  return {
    kind: 'audio',
    timescale: rate,
    sampleEntry: audioEntry('mp4a', channels, rate, aacDescriptor(Buffer.from(audioSpecificConfig))),
    widthPx: 0,
    heightPx: 0,
    frameRate: 0,
    frameTicks: FRAME_SAMPLES,
    silence: silentAacFrame(audioSpecificConfig),
  };
}
