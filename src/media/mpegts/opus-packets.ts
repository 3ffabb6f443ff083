const PREFIX = 0x3ff;

/**
 * Returns the Opus packets of a PES packet (section 3.2 of the draft "Opus in MPEG-2 TS"). Each packet follows a
 * control header with its length. Drops a damaged remainder.
 */
export function readOpusPackets(payload: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  let at = 0;
  while (at + 2 < payload.length) {
    const head = payload.readUInt16BE(at);
    if (head >> 5 !== PREFIX) break;
    at += 2;
    let sizeBytes = 0;
    for (let byte = 255; byte === 255 && at < payload.length; at += 1) {
      byte = payload.readUInt8(at);
      sizeBytes += byte;
    }
    // Skip the numbers of trimmed samples at the start and at the end, and an extension.
    if ((head & 0x10) !== 0) at += 2;
    if ((head & 0x08) !== 0) at += 2;
    if ((head & 0x04) !== 0) at += 1 + (payload[at] ?? 0);
    if (sizeBytes === 0 || at + sizeBytes > payload.length) break;
    packets.push(payload.subarray(at, at + sizeBytes));
    at += sizeBytes;
  }
  return packets;
}

/** Returns the duration of a packet in samples at 48 kHz, from its first bytes (RFC 6716 section 3.1). */
export function opusSamples(packet: Buffer): number {
  const toc = packet[0] ?? 0;
  const config = toc >> 3;
  const ms =
    config < 12 ? [10, 20, 40, 60][config & 3] : config < 16 ? [10, 20][config & 1] : [2.5, 5, 10, 20][config & 3];
  const code = toc & 3;
  const frames = code === 0 ? 1 : code === 3 ? (packet[1] ?? 0) & 0x3f : 2;
  return Math.min(frames * (ms ?? 20) * 48, 5_760);
}
