/** MD5 (RFC 1321), which WebCrypto lacks and the oldest scheme of signed URLs needs. Not for anything new. */
export function md5(message: Uint8Array): Uint8Array {
  const padded = pad(message);
  const view = new DataView(padded.buffer);
  const state = Int32Array.from([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  for (let block = 0; block < padded.length; block += 64) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (let step = 0; step < 64; step += 1) {
      const { mixed, word } = mix(step, b, c, d);
      const sum = (a + mixed + constantOf(step) + view.getUint32(block + word * 4, true)) | 0;
      const shift = SHIFTS[step >>> 4]?.[step % 4] ?? 0;
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
    }
    state.set([a, b, c, d].map((value, index) => (value + (state[index] ?? 0)) | 0));
  }
  const digest = new DataView(new ArrayBuffer(16));
  for (const [index, value] of state.entries()) digest.setInt32(index * 4, value, true);
  return new Uint8Array(digest.buffer);
}

const SHIFTS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
];

function constantOf(step: number): number {
  return Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32) | 0;
}

function mix(step: number, b: number, c: number, d: number): { mixed: number; word: number } {
  switch (step >>> 4) {
    case 0:
      return { mixed: (b & c) | (~b & d), word: step };
    case 1:
      return { mixed: (d & b) | (~d & c), word: (5 * step + 1) % 16 };
    case 2:
      return { mixed: b ^ c ^ d, word: (3 * step + 5) % 16 };
    default:
      return { mixed: c ^ (b | ~d), word: (7 * step) % 16 };
  }
}

function pad(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n, true);
  return padded;
}
