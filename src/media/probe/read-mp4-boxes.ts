import { open } from 'node:fs/promises';
import { type Box, childBoxes, findBox, MAX_BOX_HEAD, printable, readBoxes, readBoxHead } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import type { SourceFault } from './source-facts.ts';

/** Maximum number of top-level boxes examined. The moov of a fragmented file is among the first. */
const MAX_BOXES = 64;
/** Maximum bytes of a moov that is searched for sample entries. Ten hours need 17 MB. */
const MAX_MOOV_BYTES = 32 * 2 ** 20;
/** Matches brands of images (ISO 23008-12) and of AV1 images. */
const PICTURE_BRANDS = /^(heic|heix|heim|heis|hevc|mif1|msf1|avif|avis)$/;
const PICTURE_NAMES: Readonly<Record<string, string>> = { avif: 'AVIF', avis: 'AVIF' };
/** Size of the FullBox fields and the entry count of an stsd box, in bytes. */
const STSD_HEAD_BYTES = 8;
/** Types of encrypted sample entries: ISO 14496-12 section 8.12, and Apple's protected audio and video. */
const ENCRYPTED_ENTRIES = ['encv', 'enca', 'drmi', 'drms'];

type TopBox = { type: string; start: number; end: number };
type TopBoxes = { boxes: TopBox[]; brands: string[]; moov: Buffer | null; damaged: string | null };

/** Returns the reason why an MP4 has no index: it is a still image, has a damaged box, or is truncated. */
export async function explainMissingMoov(path: string, sizeBytes: number): Promise<SourceFault> {
  const { boxes, brands, damaged } = await readTopBoxes(path, sizeBytes);
  const picture = brands.find((brand) => PICTURE_BRANDS.test(brand));
  if (picture !== undefined) {
    const name = PICTURE_NAMES[picture] ?? 'HEIC';
    return {
      kind: 'not-media',
      message: `Expected a video, got a still image (${name}). Upload a video or audio file.`,
    };
  }
  if (damaged !== null) return { kind: 'undecodable', message: damaged };
  const last = boxes.at(-1);
  if (last !== undefined && last.end > sizeBytes && last.type !== 'mdat' && last.type !== 'moov') {
    const message =
      `Expected box ${printable(last.type)} at byte ${last.start} to end within the file, got a size of ` +
      `${last.end - last.start} bytes. The file is damaged. Repair it or export it again.`;
    return { kind: 'undecodable', message };
  }
  return {
    kind: 'truncated',
    message: 'Expected the index (moov) of an MP4 file, got none. The file is truncated. Upload it again.',
  };
}

/** Returns the fault of an MP4 file with encrypted samples, or null if the file is not encrypted. */
export async function findEncryption(path: string, sizeBytes: number): Promise<SourceFault | null> {
  const { moov } = await readTopBoxes(path, sizeBytes);
  if (moov === null) return null;
  const entry = listSampleEntries(moov).find((type) => ENCRYPTED_ENTRIES.includes(type));
  if (entry === undefined) return null;
  const message = `Expected unencrypted media, got encrypted samples (${entry}). Decrypt it and upload the result.`;
  return { kind: 'undecodable', message };
}

function listSampleEntries(moov: Buffer): string[] {
  try {
    const [root] = readBoxes(moov);
    if (root === undefined) return [];
    const tracks = childBoxes(root).filter(({ type }) => type === 'trak');
    return tracks.flatMap(sampleEntriesOf);
  } catch (error) {
    // ffprobe reports any other problem.
    if (error instanceof BrokenMedia) return [];
    throw error;
  }
}

function sampleEntriesOf(track: Box): string[] {
  const stsd = findBox(track, 'mdia', 'minf', 'stbl', 'stsd');
  return stsd === null ? [] : childBoxes(stsd, STSD_HEAD_BYTES).map(({ type }) => type);
}

async function readTopBoxes(path: string, sizeBytes: number): Promise<TopBoxes> {
  const file = await open(path);
  const read = async (at: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  const found: TopBoxes = { boxes: [], brands: [], moov: null, damaged: null };
  try {
    let at = 0;
    while (at + 8 <= sizeBytes && found.boxes.length < MAX_BOXES) {
      const head = readBoxHead(await read(at, MAX_BOX_HEAD), 0);
      if (head === null) break;
      const end = head.sizeBytes === 0 ? sizeBytes : at + head.sizeBytes;
      found.boxes.push({ type: head.type, start: at, end });
      if (head.type === 'ftyp') found.brands = readBrands(await read(at, Math.min(end - at, 256)));
      if (head.type === 'moov' && end <= sizeBytes && end - at <= MAX_MOOV_BYTES) {
        found.moov = await read(at, end - at);
        break;
      }
      at = end;
    }
  } catch (error) {
    if (!(error instanceof BrokenMedia)) throw error;
    found.damaged = `Expected whole boxes in an MP4 file, got damaged ones: ${error.message}`;
  } finally {
    await file.close();
  }
  return found;
}

/** Returns the major brand and the compatible brands. The version is between them. */
function readBrands(ftyp: Buffer): string[] {
  const words = Array.from({ length: Math.floor(ftyp.length / 4) }, (_, index) =>
    ftyp.toString('latin1', index * 4, index * 4 + 4),
  );
  return [...words.slice(2, 3), ...words.slice(4)];
}
