import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Creates a short clip followed by a `free` box (ISO 14496-12 section 8.1.2) that pads the file to the requested size.
 * The box is a hole in the file: nothing is written to the disk.
 */
export async function makePaddedClip(file: string, sizeBytes: number): Promise<void> {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=4', '-c:v', 'libx264', '-preset', 'ultrafast'];
  const args = [...picture, '-pix_fmt', 'yuv420p', '-movflags', '+faststart', file];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args]);
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    const header = Buffer.alloc(16);
    // A size of 1 means that the real size follows the type, in 64 bits.
    header.writeUInt32BE(1, 0);
    header.write('free', 4, 'ascii');
    header.writeBigUInt64BE(BigInt(sizeBytes - size), 8);
    await handle.write(header, 0, header.length, size);
    await handle.truncate(sizeBytes);
  } finally {
    await handle.close();
  }
}
