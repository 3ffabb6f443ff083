import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';
import type { FlvTag } from './flv-tag.ts';

/**
 * Offset of the configuration in a visual sample entry: the fixed part and the header of the inner box (ISO 14496-12
 * section 12.1.3).
 */
const VISUAL_DESCRIPTION_AT = 86 + 8;
/** Offset of the length of the AudioSpecificConfig in the `esds` that `sample-entry.ts` writes. */
const SPECIFIC_LENGTH_AT = 69;
const AAC_HEAD = 0xaf;
const KEY_FRAME = 0x10;
const INTER_FRAME = 0x20;
const AVC = 7;
const EXTENDED = 0x80;
const PACKET = { sequenceStart: 0, codedFrames: 1 };

/**
 * Writes the media of publishers that do not use FLV as FLV tags, for relays: H.264 and AAC in the tag format that
 * every RTMP receiver accepts, and HEVC as in enhanced RTMP. Times start at 0.
 */
export class FlvTagWriter {
  #firstMs: number | null = null;
  #fourCc: string | null = null;

  write(event: LiveEvent): FlvTag {
    return event.type === 'config' ? this.#writeConfig(event.config) : this.#writeUnit(event.unit);
  }

  #writeConfig(config: TrackConfig): FlvTag {
    const { kind, sampleEntry } = config;
    if (kind === 'audio') return tag(8, 0, Buffer.from([AAC_HEAD, 0]), specificConfigOf(sampleEntry));
    const type = sampleEntry.toString('latin1', 4, 8);
    this.#fourCc = type === 'avc1' ? null : type;
    const record = sampleEntry.subarray(VISUAL_DESCRIPTION_AT);
    return tag(9, 0, this.#videoHead(true, PACKET.sequenceStart, 0), record);
  }

  #writeUnit({ kind, dtsMs, ptsMs, isKey, bytes }: Extract<LiveEvent, { type: 'unit' }>['unit']): FlvTag {
    this.#firstMs ??= dtsMs;
    const timestampMs = Math.max(0, Math.round(dtsMs - this.#firstMs));
    if (kind === 'audio') return tag(8, timestampMs, Buffer.from([AAC_HEAD, 1]), bytes);
    return tag(9, timestampMs, this.#videoHead(isKey, PACKET.codedFrames, Math.round(ptsMs - dtsMs)), bytes);
  }

  #videoHead(isKey: boolean, packet: number, offsetMs: number): Buffer {
    const frame = isKey ? KEY_FRAME : INTER_FRAME;
    const offset = Buffer.alloc(3);
    offset.writeIntBE(offsetMs, 0, 3);
    if (this.#fourCc === null) return Buffer.concat([Buffer.from([frame | AVC, packet]), offset]);
    const head = Buffer.concat([Buffer.from([EXTENDED | frame | packet]), Buffer.from(this.#fourCc, 'latin1')]);
    return packet === PACKET.sequenceStart ? head : Buffer.concat([head, offset]);
  }
}

function specificConfigOf(sampleEntry: Buffer): Buffer {
  const sizeBytes = sampleEntry.readUInt8(SPECIFIC_LENGTH_AT);
  return sampleEntry.subarray(SPECIFIC_LENGTH_AT + 1, SPECIFIC_LENGTH_AT + 1 + sizeBytes);
}

function tag(type: 8 | 9, timestampMs: number, head: Buffer, data: Buffer): FlvTag {
  return { type, timestampMs, body: Buffer.concat([head, data]) };
}
