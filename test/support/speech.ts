import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SpokenWord } from '../../src/ports/transcriber.ts';

const FOLDER = '/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb';

/** LibriVox recordings (public domain) from Debian's pocketsphinx-testdata, with their text. */
export const LIBRIVOX = {
  short: { path: `${FOLDER}-0880.wav`, text: 'he was not an ill disposed young man' },
  other: {
    path: `${FOLDER}-0890.wav`,
    text: 'unless to be rather cold hearted and rather selfish is to be ill disposed',
  },
  long: {
    path: `${FOLDER}-0920.wav`,
    text: 'had he married a more amiable woman he might have been made still more respectable than he was',
  },
};

/** Creates a video `talk.mp4` in a folder: two seconds of silence, then the long sentence. */
export async function makeTalk(folder: string): Promise<string> {
  const file = path.join(folder, 'talk.mp4');
  const input = ['-i', LIBRIVOX.long.path, '-f', 'lavfi', '-i', 'color=gray:s=160x120:r=10'];
  const sound = ['-af', 'adelay=2000,apad=pad_dur=1,aresample=48000', '-shortest'];
  const argv = [...input, ...sound, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', file];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...argv]);
  return file;
}

export function spokenText(words: readonly SpokenWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** A sentence of a speech with applause and hum in the background (public domain), from the package nodejs-whisper. */
export const KENNEDY = {
  path: path.resolve(
    import.meta.dirname,
    '../../node_modules/nodejs-whisper/cpp/whisper.cpp/bindings/go/samples/jfk.wav',
  ),
  text: 'and so my fellow americans ask not what your country can do for you ask what you can do for your country',
};
