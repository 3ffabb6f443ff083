import type { LiveStreamStatusModel } from '../../../src/api/models/live-stream.ts';

import { said, t } from '../base/language.ts';
import { amount } from '../base/words.ts';

/** Measurements of the published stream over one second. */
export type Sample = { timestamp: string; bitrate: number; videoBitrate: number; audioBitrate: number; fps: number };
export type HealthLine = { level: 'good' | 'wait' | 'bad'; sentence: string };

const SILENT_MS = 2_500;
/** Samples are one second apart. A longer interval is a pause. */
const MAX_STEP_MS = 2_500;
/** Number of seconds that are evaluated: more than a keyframe interval, but few enough to be current. */
const JUDGED = 30;
/** Minimum number of samples for an evaluation of typical values. */
const ENOUGH = 5;
const DROPPED = 0.85;
const DIPPED = 0.5;
const FEW_FPS = 20;
const HEAVY_BPS = 10_000_000;

export type Published = {
  isOnAir: boolean;
  /** Whether an encoder has connected since the stream was created. */
  hasBegun: boolean;
  status: LiveStreamStatusModel;
  /** Oldest first, newest last. */
  samples: readonly Sample[];
};

/** Describes the state of publishing and what to change at the encoder, the most urgent first. */
export function describeHealth({ isOnAir, hasBegun, status, samples }: Published): HealthLine[] {
  if (status.primaryLive !== true && status.backupLive !== true) return [absence(isOnAir && hasBegun, status)];
  const recent = wholeSeconds(samples).slice(-JUDGED);
  const found = [
    ...silence(status.lastPingAgo),
    ...pictures(recent),
    ...rates(recent),
    ...audio(recent, status),
    ...relaying(status),
    ...further(status, recent),
  ];
  const start: HealthLine[] = isOnAir
    ? []
    : [{ level: 'wait', sentence: t('The encoder is connected. Press Start when the picture looks right.') }];
  const rank = { bad: 0, wait: 1, good: 2 };
  const lines = found.length > 0 || (!isOnAir && recent.length === 0) ? found : steady(recent);
  return [...start, ...lines].toSorted((first, second) => rank[first.level] - rank[second.level]);
}

/** Drops the seconds in which publishing began, because they are incomplete. */
function wholeSeconds(samples: readonly Sample[]): Sample[] {
  const timeOf = (sample: Sample | undefined) =>
    sample === undefined ? Number.NEGATIVE_INFINITY : Date.parse(sample.timestamp);
  return samples.filter((sample, index) => timeOf(sample) - timeOf(samples[index - 1]) < MAX_STEP_MS);
}

/** Describes why no media arrives. A publisher may be connected, or may have been refused. */
function absence(isInterrupted: boolean, { transcoding }: LiveStreamStatusModel): HealthLine {
  if (transcoding !== null && transcoding.reason !== null) return { level: 'bad', sentence: said(transcoding.reason) };
  return isInterrupted
    ? {
        level: 'bad',
        sentence: t('The encoder is disconnected. Reconnect with the same stream key to continue the stream.'),
      }
    : {
        level: 'wait',
        sentence: t('No encoder connected yet. Enter one of the server URLs and the stream key in your encoder.'),
      };
}

function silence(lastPingAgo: number | null): HealthLine[] {
  if (lastPingAgo === null || lastPingAgo <= SILENT_MS) return [];
  const sec = amount(lastPingAgo / 1000);
  const sentence = t(
    "No data received for {0} s. The encoder's connection is too slow or unstable. Lower its bitrate.",
    sec,
  );
  return [{ level: 'bad', sentence }];
}

function pictures(recent: readonly Sample[]): HealthLine[] {
  const usual = median(recent.map(({ fps }) => fps));
  const least = Math.min(...recent.map(({ fps }) => fps));
  if (recent.length < ENOUGH || usual <= 0) return [];
  if (least < usual * DROPPED) {
    const sentence = t(
      'Frames are being dropped: {0} in the worst second instead of {1}. The encoder or its connection is overloaded.',
      amount(least),
      amount(usual),
    );
    return [{ level: 'bad', sentence }];
  }
  if (usual >= FEW_FPS) return [];
  return [{ level: 'wait', sentence: t('Video at {0} fps looks choppy. Use 25 fps or more.', amount(usual)) }];
}

function rates(recent: readonly Sample[]): HealthLine[] {
  const usual = median(recent.map(({ bitrate }) => bitrate));
  const least = Math.min(...recent.map(({ bitrate }) => bitrate));
  if (recent.length < ENOUGH || usual <= 0 || least >= usual * DIPPED) return [];
  const sentence = t('The bitrate drops to {0} of {1}. Use a constant or lower bitrate.', mbps(least), mbps(usual));
  return [{ level: 'wait', sentence }];
}

function audio(recent: readonly Sample[], { transcoding }: LiveStreamStatusModel): HealthLine[] {
  if (recent.length < ENOUGH || recent.some(({ audioBitrate }) => audioBitrate > 0)) return [];
  // The service describes why there is no audio, which is more precise.
  if (/\b(?:audio|sound)\b/i.test(transcoding?.reason ?? '')) return [];
  return [{ level: 'wait', sentence: t('No audio received. Select an audio source in the encoder.') }];
}

function relaying({ relays }: LiveStreamStatusModel): HealthLine[] {
  return relays
    .filter(({ state }) => state === 'failed')
    .map(({ host, reason }) => ({
      level: 'wait',
      sentence: t('The relay to {0} is failing: {1}', host, reason ?? ''),
    }));
}

function further({ transcoding }: LiveStreamStatusModel, recent: readonly Sample[]): HealthLine[] {
  if (transcoding !== null && transcoding.reason !== null) {
    return [{ level: 'wait', sentence: said(transcoding.reason) }];
  }
  const usual = median(recent.map(({ bitrate }) => bitrate));
  const isAlone = transcoding === null || transcoding.state === 'none';
  if (!isAlone || usual < HEAVY_BPS) return [];
  const sentence = t(
    '{0} is too high for many viewers, and there is no lower resolution. Enable lower resolutions.',
    mbps(usual),
  );
  return [{ level: 'wait', sentence }];
}

function steady(recent: readonly Sample[]): HealthLine[] {
  if (recent.length === 0) return [{ level: 'good', sentence: t('The encoder is connected.') }];
  const bitrate = median(recent.map((sample) => sample.bitrate));
  const fps = median(recent.map((sample) => sample.fps));
  return [{ level: 'good', sentence: t('The stream is stable: {0}, {1} fps.', mbps(bitrate), amount(fps)) }];
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? 0;
}

function mbps(bps: number): string {
  return `${amount(bps / 1_000_000, 1)} Mbit/s`;
}
