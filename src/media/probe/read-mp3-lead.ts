import { open } from 'node:fs/promises';
import { findFirstFrame, id3Bytes, RUN_BYTES } from './mp3-frame.ts';

const WINDOW_BYTES = 2 ** 20;
/** Maximum number of bytes searched for audio. If no audio begins within them, ffmpeg determines the file type. */
const MAX_LEAD_BYTES = 32 * 2 ** 20;

/**
 * Returns the byte offset of the audio in an MP3 file that begins with other data. ffmpeg would decode much of such
 * data as frames, which sound like noise. Returns 0 if the audio begins at the start of the file, directly after an
 * ID3v2 tag, or after zeros, in which ffmpeg finds no frames.
 */
export async function readMp3Lead(path: string): Promise<number> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(10);
    await file.read(head, 0, head.length, 0);
    const fromByte = id3Bytes(head);
    const window = Buffer.alloc(WINDOW_BYTES);
    for (let start = fromByte; start < fromByte + MAX_LEAD_BYTES; start += WINDOW_BYTES - RUN_BYTES) {
      const { bytesRead } = await file.read(window, 0, WINDOW_BYTES, start);
      const found = findFirstFrame(window.subarray(0, bytesRead));
      if (found !== null) {
        const isPadding = start === fromByte && window.subarray(0, found).every((byte) => byte === 0);
        return isPadding ? 0 : start + found;
      }
      if (bytesRead < WINDOW_BYTES) return 0;
    }
    return 0;
  } finally {
    await file.close();
  }
}
