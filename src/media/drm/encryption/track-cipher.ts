import { type EncryptInPlace, openAes } from '../../../lib/aes.ts';
import type { ContentKey } from '../../../ports/drm-key-source.ts';
import { readBoxes, requireBox } from '../../bmff/boxes.ts';
import type { SampleDefaults } from '../../cmaf/fragment.ts';
import { readInitSegment } from '../../cmaf/init-segment.ts';
import { readEntryBox, readSampleEntry, type SampleEntry } from '../../cmaf/sample-entry.ts';
import { openH264Divider, type SampleDivider } from '../subsamples/h264-divider.ts';
import { readAvcConfiguration } from '../subsamples/h264-parameter-sets.ts';
import { mostSubsamples } from '../subsamples/subsample.ts';
import type { ProtectionScheme } from './protection-scheme.ts';

/** Protection of a rendition. `ivPrefix` is the rendition's number. See `sampleIv`. */
export type Protection = { scheme: ProtectionScheme; key: ContentKey; ivPrefix: number };

/** State needed to encrypt fragments of one rendition. It is opened once and used for all segments. */
export type TrackCipher = Protection & {
  encrypt: EncryptInPlace;
  sampleDefaults: SampleDefaults;
  /** Opens a divider of one fragment's samples into clear and protected parts. Null if whole samples are protected. */
  openDivider: (() => SampleDivider) | null;
};

const STSD = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'];

/**
 * Opens a rendition's clear init segment for encryption. Video must be H.264 (`avc1`, `avc3`), whose slices are divided
 * as CMAF requires. Whole samples of audio are protected, for any codec. Throws for other video codecs, because their
 * headers must stay clear, which requires a parser.
 */
export function openTrackCipher(init: Buffer, protection: Protection): TrackCipher {
  const { handler, sampleDefaults } = readInitSegment(init);
  const { scheme, key } = protection;
  const common = { ...protection, encrypt: openAes(scheme.aesMode, key.key), sampleDefaults };
  if (handler === 'audio') return { ...common, openDivider: null };
  const entry = readSampleEntry(requireBox(readBoxes(init), ...STSD), handler);
  return { ...common, openDivider: chooseDivider(entry, scheme) };
}

function chooseDivider(entry: SampleEntry, scheme: ProtectionScheme): () => SampleDivider {
  if (entry.type === 'avc1' || entry.type === 'avc3') {
    const fields = readEntryBox(entry, 'avcC');
    const configuration = readAvcConfiguration(fields.take(fields.left()));
    const rules = { isBlockAligned: scheme.isBlockAligned, most: mostSubsamples(scheme.sampleIvBytes) };
    return () => openH264Divider(configuration, rules);
  }
  throw new Error(
    `Expected H.264 video to encrypt, got ${entry.type}. List only H.264 renditions of a protected video.`,
  );
}
