import type { DRMSystemsConfiguration, HlsConfig } from 'hls.js';
import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';

/** Of what is not known yet: low enough to begin with the lowest rung, and soon corrected. */
const UNKNOWN_LINE_BPS = 500_000;

export type Opening = { startSec: number; loadsAtOnce: boolean; isLive: boolean; lineBps: number | null };

export function hlsOptions(source: PlayerSource, { startSec, isLive, lineBps }: Opening): Partial<HlsConfig> {
  return {
    // A video that grows is watched from its start, a live stream from its newest second.
    startPosition: isLive && startSec <= 0 ? -1 : startSec,
    lowLatencyMode: isLive,
    // After a stall a viewer gets back to the newest second (`returnToLive`), instead of staying behind by as long as
    // it lasted.
    ...(isLive && { liveSyncOnStallIncrease: 0, maxLiveSyncPlaybackRate: 1 }),
    // The first segment loaded is the first shown: none is spent on measuring the line.
    testBandwidth: false,
    abrEwmaDefaultEstimate: lineBps ?? UNKNOWN_LINE_BPS,
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
  // The server names key systems as browsers do.
  const drmSystems: DRMSystemsConfiguration = Object.fromEntries(
    entries.map(([name, licenseUrl]) => [name, { licenseUrl, ...(name === 'com.apple.fps' && certificate) }]),
  );
  return { emeEnabled: true, drmSystems };
}
