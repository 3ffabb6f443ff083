import { open } from 'node:fs/promises';
import { findFirstFrame, id3Bytes, RUN_BYTES } from './mp3-frame.ts';

const WINDOW_BYTES = 2 ** 20;
/** Where no audio begins within this, ffmpeg decides what the file is. */
const MOST_LEAD_BYTES = 32 * 2 ** 20;

/**
 * How many bytes of an MP3 file come before its audio and are no tag (ID3v2): ffmpeg takes many of them for frames,
 * which sound as noise. 0 when the sound begins where it should, or after zeros, in which ffmpeg finds no frames; else
 * where it begins, in bytes of the file.
 */
export async function readMp3Lead(path: string): Promise<number> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(10);
    await file.read(head, 0, head.length, 0);
    const fromByte = id3Bytes(head);
    const window = Buffer.alloc(WINDOW_BYTES);
    for (let start = fromByte; start < fromByte + MOST_LEAD_BYTES; start += WINDOW_BYTES - RUN_BYTES) {
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
