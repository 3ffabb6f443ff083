import { av1 } from './av1.ts';
import { h264 } from './h264.ts';
import { hevc } from './hevc.ts';
import type { VideoCodec } from './video-codec.ts';
import { vp9 } from './vp9.ts';

/** All codecs that the engine can encode, in descending order of player support. */
export const VIDEO_CODECS: readonly VideoCodec[] = [h264, hevc, vp9, av1];

/** Codec that every player decodes. Every set of renditions contains it. */
export const BASE_CODEC = h264.name;

/** Codec names, from which settings and uploads choose. */
export const CODEC_NAMES: readonly string[] = VIDEO_CODECS.map(({ name }) => name);

/** Returns the API name of a codec. A codec that is not in the list keeps its name. */
export function wireNameOf(name: string): string {
  return VIDEO_CODECS.find((codec) => codec.name === name)?.wireName ?? name;
}

/** Codec names by their API names. */
export const WIRE_CODECS: ReadonlyMap<string, string> = new Map(
  VIDEO_CODECS.map(({ name, wireName = name }) => [wireName, name]),
);

/** Finds a codec by name. Throws for an unknown name. */
export function findCodec(name: string): VideoCodec {
  const codec = VIDEO_CODECS.find((candidate) => candidate.name === name);
  if (codec !== undefined) return codec;
  throw new Error(`Expected one of the codecs ${VIDEO_CODECS.map((known) => known.name).join(', ')}, got ${name}.`);
}
