import type { AttachMediaSourceData, DRMSystemsConfiguration, HlsConfig } from 'hls.js';
import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { Line } from '../line/estimate-line.ts';

/** Assumed bandwidth if unknown: low enough to start with the lowest rung, and soon corrected. */
const UNKNOWN_LINE_BPS = 500_000;

/**
 * `readLine` is called when the rungs are known, because each response until then tells more about the connection.
 * Without `buffersPaused`, only the first segment of a video is fetched before it is played. `media` is buffered media
 * of another instance of hls.js.
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
    // After a stall a viewer returns to the live edge (`returnToLive`), instead of staying behind by the stall's
    // length.
    ...(isLive && { liveSyncOnStallIncrease: 0, maxLiveSyncPlaybackRate: 1 }),
    // The first segment loaded is the first shown, because none is spent on measuring bandwidth.
    testBandwidth: false,
    abrEwmaDefaultEstimate: UNKNOWN_LINE_BPS,
    // A rung that takes this share of the connection is sustained, as other players also assume.
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
