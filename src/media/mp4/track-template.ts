import { type Box, readBoxes, readFields, readVersion, requireBox } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { packLanguageCode } from './language-code.ts';

/** Properties of a track of the virtual file, read from its init segment. */
export type TrackTemplate = {
  handler: 'video' | 'audio';
  timescale: number;
  /** Packed ISO 639-2 code of mdhd. */
  language: number;
  /** Matrix, width and height of tkhd: 44 bytes. */
  geometry: Buffer;
  /** The whole stsd box, including the codec configuration. */
  stsd: Buffer;
};

const GEOMETRY_BYTES = 44;

/**
 * Reads the parts of an init segment that a progressive track needs. `language` (BCP 47) replaces the language of the
 * init segment. Null keeps it. Throws BrokenMedia for a damaged init segment and for a track that is neither video nor
 * audio.
 */
export function readTrackTemplate(init: Buffer, language: string | null): TrackTemplate {
  const trak = requireBox(readBoxes(init), 'moov', 'trak');
  const box = (...path: string[]): Box => requireBox(trak, ...path);
  const stsd = box('mdia', 'minf', 'stbl', 'stsd');
  const media = readMediaHeader(box('mdia', 'mdhd'));
  return {
    handler: readHandler(box('mdia', 'hdlr')),
    timescale: media.timescale,
    language: language === null ? media.language : packLanguageCode(language),
    geometry: readGeometry(box('tkhd')),
    stsd: init.subarray(stsd.start, stsd.end),
  };
}

function readGeometry(tkhd: Box): Buffer {
  const fields = readFields(tkhd);
  fields.skip(readVersion(fields).version === 1 ? 48 : 36);
  return fields.take(GEOMETRY_BYTES);
}

function readMediaHeader(mdhd: Box): { timescale: number; language: number } {
  const fields = readFields(mdhd);
  const isWide = readVersion(fields).version === 1;
  fields.skip(isWide ? 16 : 8);
  const timescale = fields.u32();
  if (timescale === 0) throw new BrokenMedia('Expected a timescale above 0 in mdhd, got 0.');
  fields.skip(isWide ? 8 : 4);
  return { timescale, language: fields.u16() };
}

function readHandler(hdlr: Box): 'video' | 'audio' {
  const fields = readFields(hdlr);
  fields.skip(8);
  const type = fields.take(4).toString('latin1');
  if (type === 'vide') return 'video';
  if (type === 'soun') return 'audio';
  throw new BrokenMedia(`Expected a video or audio track, got handler ${JSON.stringify(type)}.`);
}
