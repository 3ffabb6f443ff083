import type { AttachMediaSourceData, DRMSystemsConfiguration, HlsConfig } from 'hls.js';
import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { Line } from '../line/estimate-line.ts';

/**
 * Assumed bandwidth if it is unknown, in bits per second. It is low enough to start with the lowest rung. The first
 * responses correct it.
 */
const UNKNOWN_LINE_BPS = 500_000;

/**
 * `readLine` is called as late as possible, when the rungs are known, because each response until then improves the
 * estimate of the connection. Without `buffersPaused`, only the first segment of a video is fetched before it is
 * played. `media` is the buffered media of a previous instance of hls.js.
 */
export type Opening = {
  startSec: number;
  loadsAtOnce: boolean;
  isLive: boolean;
  buffersPaused: boolean;
  media: AttachMediaSourceData | null;
  readLine(): Line;
};

export const UNOPENED: Opening = {
  ...{ startSec: 0, loadsAtOnce: true, isLive: false, buffersPaused: false, media: null },
  readLine: () => ({ bps: null, care: 'none' }),
};

export function hlsOptions(source: PlayerSource, { startSec, isLive }: Opening): Partial<HlsConfig> {
  return {
    // A growing video starts at its beginning, a live stream at its live edge.
    startPosition: isLive && startSec <= 0 ? -1 : startSec,
    lowLatencyMode: isLive,
    // After a stall, `returnToLive` brings the viewer back to the live edge. hls.js would stay behind by the duration
    // of the stall.
    ...(isLive && { liveSyncOnStallIncrease: 0, maxLiveSyncPlaybackRate: 1 }),
    // Do not load a segment only to measure the bandwidth, so that the first loaded segment is the first one shown.
    testBandwidth: false,
    abrEwmaDefaultEstimate: UNKNOWN_LINE_BPS,
    // Use a rung if it needs at most this fraction of the bandwidth, as other players do.
    ...(!isLive && { abrBandWidthUpFactor: 0.85 }),
    startFragPrefetch: true,
    backBufferLength: 60,
    capLevelToPlayerSize: false,
    enableWorker: false,
    ...drmOptions(source),
  };
}

function drmOptions({ drm }: PlayerSource): Partial<HlsConfig> {
  const entries = Object.entries(drm?.licenceUrls ?? {});
  if (drm === null || entries.length === 0) return {};
  const certificate = drm.certificateUrl === null ? {} : { serverCertificateUrl: drm.certificateUrl };
  // The server uses the browsers' names of key systems.
  const drmSystems: DRMSystemsConfiguration = Object.fromEntries(
    entries.map(([name, licenseUrl]) => [name, { licenseUrl, ...(name === 'com.apple.fps' && certificate) }]),
  );
  return { emeEnabled: true, drmSystems };
}
