import path from 'node:path';
import { readText } from '../../live/live-service.ts';
import { videoAddressesOf } from '../../live/read-recording.ts';
import {
  type BarsToMake,
  largestDifference,
  makeBars,
  makeCoding,
  measureColours,
  PATCHES,
  shownPatches,
} from '../../support/colour-error.ts';
import type { Triple } from '../../support/colour-model.ts';
import type { Service } from '../../support/service.ts';
import { FINISHED, getVideo, playlistUrl, untilVideo } from '../../support/videos.ts';

/** Colour bars to upload. `reference`: the patches that SDR renditions have to show. */
export type ColourClip = { name: string; bars: BarsToMake; reference: readonly Triple[] };

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '8', '-g', '50'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '4', '-tag:v', 'hvc1', '-x265-params'];
const HDR10 = 'log-level=none:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)';
/** HDR metadata of a mastering display with a peak of 0.005 nit, which broken tools write. */
const BROKEN = 'log-level=none:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(50,1)';
const FFV1 = ['-c:v', 'ffv1'];
const PRORES = ['-c:v', 'prores_ks', '-profile:v', '3'];

const PQ = makeCoding({ primaries: 9, transfer: 16, matrix: 9 });
const HLG = makeCoding({ primaries: 9, transfer: 18, matrix: 9 });
const PAL = makeCoding({ primaries: 5, transfer: 1, matrix: 5 });
const NTSC = makeCoding({ primaries: 6, transfer: 6, matrix: 6 });

const shown = (name: string, bars: BarsToMake): ColourClip => ({
  ...{ name, bars },
  reference: shownPatches(bars.coding, bars.pixelFormat === 'yuv420p10le' ? 10 : 8),
});

function rgb(name: string, argv: readonly string[]): ColourClip {
  const bars: BarsToMake = { coding: makeCoding({ matrix: 0, isFullRange: true }), pixelFormat: 'gbrp', argv };
  return { name, bars, reference: PATCHES };
}

export const COLOUR_CLIPS: readonly ColourClip[] = [
  shown('BT.709.mp4', { coding: makeCoding(), pixelFormat: 'yuv420p', argv: X264 }),
  shown('BT.709, not copied.mkv', { coding: makeCoding(), pixelFormat: 'yuv420p', argv: FFV1 }),
  shown('no tags.mp4', { coding: makeCoding({ matrix: 6 }), pixelFormat: 'yuv420p', argv: X264, isTagged: false }),
  shown('BT.601 of 525 lines.mp4', { coding: NTSC, pixelFormat: 'yuv420p', argv: X264 }),
  shown('BT.601 of 525 lines, not copied.mkv', { coding: NTSC, pixelFormat: 'yuv420p', argv: FFV1 }),
  shown('BT.601 of 625 lines.mp4', { coding: PAL, pixelFormat: 'yuv420p', argv: X264 }),
  shown('full range.mp4', { coding: makeCoding({ isFullRange: true }), pixelFormat: 'yuvj420p', argv: X264 }),
  shown('full range, not copied.mkv', {
    ...{ coding: makeCoding({ isFullRange: true }), pixelFormat: 'yuv420p10le' },
    argv: [...X265, 'log-level=none:range=full'],
  }),
  rgb('RGB.mkv', FFV1),
  shown('sRGB transfer.mp4', { coding: makeCoding({ transfer: 13 }), pixelFormat: 'yuv420p', argv: X264 }),
  shown('gamma 2.2.mp4', { coding: makeCoding({ transfer: 4 }), pixelFormat: 'yuv420p', argv: X264 }),
  shown('Display P3.mp4', { coding: makeCoding({ primaries: 12 }), pixelFormat: 'yuv420p', argv: X264 }),
  shown('Display P3 of 10 bits.mp4', {
    ...{ coding: makeCoding({ primaries: 12 }), pixelFormat: 'yuv420p10le' },
    argv: [...X265, 'log-level=none'],
  }),
  shown('BT.2020 SDR.mp4', {
    ...{ coding: makeCoding({ primaries: 9, transfer: 14, matrix: 9 }), pixelFormat: 'yuv420p' },
    argv: X264,
  }),
  shown('BT.2020 SDR of 10 bits.mp4', {
    ...{ coding: makeCoding({ primaries: 9, transfer: 14, matrix: 9 }), pixelFormat: 'yuv420p10le' },
    argv: [...X265, 'log-level=none'],
  }),
  shown('PQ.mp4', { coding: PQ, pixelFormat: 'yuv420p10le', argv: [...X265, `${HDR10}:max-cll=1000,400`] }),
  shown('PQ without metadata.mkv', { coding: PQ, pixelFormat: 'yuv420p10le', argv: [...X265, 'log-level=none'] }),
  shown('PQ, broken metadata.mp4', { coding: PQ, pixelFormat: 'yuv420p10le', argv: [...X265, BROKEN] }),
  shown('HLG.mp4', { coding: HLG, pixelFormat: 'yuv420p10le', argv: [...X265, 'log-level=none'] }),
  shown('HLG ProRes.mov', { coding: HLG, pixelFormat: 'yuv420p10le', argv: PRORES }),
  shown('bars, ProRes 4444 with alpha.mov', {
    ...{ coding: makeCoding(), pixelFormat: 'yuv420p' },
    argv: ['-c:v', 'prores_ks', '-profile:v', '4', '-pix_fmt', 'yuva444p10le'],
  }),
  shown('bars, VP9 with alpha.webm', {
    ...{ coding: makeCoding(), pixelFormat: 'yuv420p' },
    argv: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-crf', '4', '-b:v', '0', '-pix_fmt', 'yuva420p'],
  }),
  rgb('bars, PNG with alpha.mov', ['-c:v', 'png', '-pix_fmt', 'rgba']),
  rgb('bars, QuickTime Animation with alpha.mov', ['-c:v', 'qtrle', '-pix_fmt', 'argb']),
  shown('full range 4:4:4.mp4', {
    ...{ coding: makeCoding({ isFullRange: true }), pixelFormat: 'yuvj420p' },
    argv: [...X264, '-pix_fmt', 'yuvj444p'],
  }),
  shown('Motion JPEG.mov', {
    ...{ coding: makeCoding({ matrix: 5, isFullRange: true }), pixelFormat: 'yuvj420p' },
    argv: ['-c:v', 'mjpeg', '-q:v', '1', '-pix_fmt', 'yuvj422p'],
  }),
  shown('bars, H.264 of 10 bits.mp4', { coding: makeCoding(), pixelFormat: 'yuv420p10le', argv: X264 }),
  shown('H.264 4:2:2 of 10 bits.mp4', {
    ...{ coding: makeCoding(), pixelFormat: 'yuv420p10le' },
    argv: [...X264, '-pix_fmt', 'yuv422p10le'],
  }),
  shown('bars, HEVC 4:4:4 of 12 bits.mp4', {
    ...{ coding: makeCoding(), pixelFormat: 'yuv420p10le' },
    argv: [...X265, 'log-level=none', '-pix_fmt', 'yuv444p12le'],
  }),
];

/** The bars are large enough for two rungs. */
export function makeColourFile(folder: string, { name, bars }: ColourClip): Promise<string> {
  const file = `${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}.${name.split('.').at(-1)}`;
  return makeBars(path.join(folder, file), { widthPx: 640, heightPx: 360, ...bars });
}

/** `largest`: maximum difference from the reference, out of 255. `rungs`: maximum difference between two rungs. */
export type ColourError = { product: 'HLS' | 'DASH' | 'MP4'; largest: number; rungs: number };

/** Measures the colours of each served rendition of a video. */
export async function measureBars(service: Service, guid: string, { reference }: ColourClip): Promise<ColourError[]> {
  await untilVideo(service, guid, ({ status }) => status === FINISHED, 360_000);
  const playlist = playlistUrl(service, guid);
  const addressOf = (file: string) => playlist.replace('playlist.m3u8', file);
  const rungs = (await getVideo(service, guid)).availableResolutions.split(',');
  const listed = videoAddressesOf((await readText(playlist)) ?? '').map(addressOf);
  const products = [
    { product: 'HLS' as const, addresses: listed },
    { product: 'DASH' as const, addresses: [addressOf('manifest.mpd')] },
    { product: 'MP4' as const, addresses: rungs.map((rung) => addressOf(`play_${rung}.mp4`)) },
  ];
  const errors: ColourError[] = [];
  for (const { product, addresses } of products) {
    const measured = [];
    for (const address of addresses) measured.push(await measureColours(address, reference));
    const [first] = measured;
    const differences = measured.map(({ patches }) => largestDifference(patches, first?.patches ?? []));
    errors.push({
      product,
      largest: Math.max(...measured.map(({ largest }) => largest)),
      rungs: Math.max(...differences),
    });
  }
  return errors;
}
