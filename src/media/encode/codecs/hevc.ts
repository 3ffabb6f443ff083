import type { HdrMetadata } from '../../probe/hdr-metadata.ts';
import { pixelFormat, type VideoCodec } from './video-codec.ts';

/**
 * HEVC with libx265, capped quality: CRF 26 `veryfast` with a two-second buffer under the rung's cap. Parameter sets
 * are only in the init segment (`hvc1`), as Apple's players require. Main profile, and Main 10 for HDR.
 */
export const hevc: VideoCodec = {
  name: 'hevc',
  wireNumber: 2,
  keepsHdr: true,
  minSidePx: 16,
  forcesKeyframes: true,
  encoderArgv({ rung, gopFrames, threads, hdr, hdrMetadata }) {
    const capKbps = Math.round(rung.maxBitrateBps / 1000);
    const params = [
      ...['log-level=none', 'info=0', 'crf=26', `vbv-maxrate=${capKbps}`, `vbv-bufsize=${2 * capKbps}`],
      ...[`keyint=${gopFrames}`, 'min-keyint=1', 'scenecut=0', 'open-gop=0', 'repeat-headers=0'],
      ...[`pools=${threads > 1 ? threads : 'none'}`, `frame-threads=${threads}`],
      ...metadataParams(hdrMetadata),
    ];
    return [
      ...['-c:v', 'libx265', '-preset', 'veryfast', '-profile:v', hdr === null ? 'main' : 'main10', '-tag:v', 'hvc1'],
      ...['-forced-idr', '1', '-x265-params', params.join(':'), '-pix_fmt', pixelFormat(hdr)],
    ];
  },
};

/** Returns options for the brightness SEI messages (ITU-T H.265 sections D.2.28 and D.2.35), in their own units. */
function metadataParams(metadata: HdrMetadata | undefined): string[] {
  const params: string[] = [];
  if (metadata?.mastering) {
    const { red, green, blue, white, maxLuminance, minLuminance } = metadata.mastering;
    const points = `G(${green.join()})B(${blue.join()})R(${red.join()})WP(${white.join()})`;
    params.push(`master-display=${points}L(${maxLuminance},${minLuminance})`);
  }
  if (metadata?.light) params.push(`max-cll=${metadata.light.maxContent},${metadata.light.maxAverage}`);
  return params;
}
