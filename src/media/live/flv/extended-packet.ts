/** Content after the first byte of an enhanced tag: packet type, codec, and the track's data. */
export type ExtendedPacket = { packet: number; fourCc: string; data: Buffer };

/** Kinds of multitrack tags, stored in the high bits of the first byte. */
const MANY_TRACKS = { one: 0, ofOneCodec: 1, ofManyCodecs: 2 };
/** Number of the track that all receivers use. */
const FIRST_TRACK = 0;

/**
 * Reads the header of a tag of enhanced RTMP v2 ("ExAudioTagHeader", "ExVideoTagHeader"). `multitrack` is the packet
 * type of a tag with several tracks. Returns track 0 of such a tag, `further` if the tag contains only other tracks,
 * and null if it is truncated.
 */
export function readExtendedPacket(body: Buffer, multitrack: number): ExtendedPacket | 'further' | null {
  const packet = body.readUInt8(0) & 0x0f;
  if (packet !== multitrack) {
    return body.length < 5 ? null : { packet, fourCc: body.toString('latin1', 1, 5), data: body.subarray(5) };
  }
  const kinds = body.length < 2 ? 0 : body.readUInt8(1);
  const kind = kinds >> 4;
  if (kind > MANY_TRACKS.ofManyCodecs) return null;
  let at = 2;
  let fourCc = '';
  if (kind !== MANY_TRACKS.ofManyCodecs) {
    fourCc = body.toString('latin1', at, at + 4);
    at += 4;
  }
  while (at < body.length) {
    if (kind === MANY_TRACKS.ofManyCodecs) {
      fourCc = body.toString('latin1', at, at + 4);
      at += 4;
    }
    const sizeAt = at + 1;
    const dataAt = kind === MANY_TRACKS.one ? sizeAt : sizeAt + 3;
    if (dataAt > body.length) return null;
    const end = kind === MANY_TRACKS.one ? body.length : dataAt + body.readUIntBE(sizeAt, 3);
    if (end > body.length) return null;
    if (body.readUInt8(at) === FIRST_TRACK) return { packet: kinds & 0x0f, fourCc, data: body.subarray(dataAt, end) };
    at = end;
  }
  return 'further';
}
