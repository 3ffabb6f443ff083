import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Timeout against hangs, for players that encode their output on a busy machine. */
const PLAY_MS = 90_000;
const BRIGHT_LEVEL = 200;

export const FLASH_AT_SEC = [1, 2, 3] as const;

/** Times at which flashes and beeps begin, in seconds of the player's output. */
export type FlashesAndBeeps = { flashesSec: number[]; beepsSec: number[] };

/** Returns ffmpeg input arguments for 4 s with a white frame and a beep at each whole second from 1 on. */
export function flashAndBeep(rate: number, size = '426x240'): string[] {
  const flash = `drawbox=c=white:t=fill:enable='gte(t,0.9)*lt(mod(t+0.0005,1),${1 / rate})'`;
  const beep = "aevalsrc='if(gte(t,0.9)*lt(mod(t,1),0.1),0.8*sin(2*PI*1000*t),0)':s=48000:d=4";
  const picture = `testsrc2=s=${size}:r=${rate}:d=4,eq=brightness=-0.5:contrast=0.4,${flash}`;
  return ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', beep];
}

/** Plays a URL completely with a player on this machine. Returns the times of flashes and beeps. */
export type PlayThrough = (url: string, folder: string) => Promise<FlashesAndBeeps>;

export const PLAYERS: Readonly<Record<'ffmpeg' | 'mpv' | 'GStreamer', PlayThrough>> = {
  ffmpeg: (url) => findFlashesAndBeeps(url),
  async mpv(url, folder) {
    const file = path.join(folder, 'mpv.mkv');
    const output = [`--o=${file}`, '--of=matroska', '--ovc=ffv1', '--oac=pcm_s16le', '--no-ocopy-metadata'];
    await run('mpv', ['--no-config', '--really-quiet', ...output, url], { timeout: PLAY_MS });
    return findFlashesAndBeeps(file);
  },
  async GStreamer(url, folder) {
    const file = path.join(folder, 'gstreamer.mkv');
    const queue = 'queue max-size-time=0 max-size-buffers=0 max-size-bytes=0';
    const output = `matroskamux name=m ! filesink location=${file}`;
    const picture = `d. ! ${queue} ! videoconvert ! jpegenc ! m.`;
    const sound = `d. ! ${queue} ! audioconvert ! audio/x-raw,format=S16LE ! m.`;
    const pipeline = `${output} uridecodebin3 uri=${url} name=d ${picture} ${sound}`;
    await runGstreamer(['-q', ...pipeline.split(' ')]);
    return findFlashesAndBeeps(file);
  },
};

/**
 * With a clip this short, hlsdemux2 of GStreamer 1.22 reaches the end before its pads exist in about 2 of 90 runs
 * ("Can't push EOS on non-exposed pad" in its log). It then fails with this message although every response was good.
 */
async function runGstreamer(argv: readonly string[], attempts = 4): Promise<void> {
  try {
    await run('gst-launch-1.0', argv, { timeout: PLAY_MS });
  } catch (error) {
    const isOwnRace = error instanceof Error && error.message.includes("Couldn't download fragments");
    if (!isOwnRace || attempts === 1) throw error;
    await runGstreamer(argv, attempts - 1);
  }
}

/** Decodes a file or a URL with ffmpeg. Uses the presentation times of frames and audio. */
export async function findFlashesAndBeeps(input: string): Promise<FlashesAndBeeps> {
  const decode = ['-nostdin', '-v', 'info', '-copyts', '-i', input];
  const options = { timeout: PLAY_MS, maxBuffer: 64 * 2 ** 20 };
  const show = ['-map', '0:v:0', '-vf', 'scale=8:8,format=gray,showinfo', '-fps_mode', 'passthrough'];
  const pictures = await run('ffmpeg', [...decode, ...show, '-f', 'null', '-'], options);
  const listen = ['-map', '0:a:0', '-af', 'silencedetect=n=-25dB:d=0.3'];
  const sound = await run('ffmpeg', [...decode, ...listen, '-f', 'null', '-'], options);
  const shown = [...pictures.stderr.matchAll(/pts_time:([\d.-]+).*? mean:\[(\d+)/g)];
  const flashes = shown.filter(([, , level]) => Number(level) > BRIGHT_LEVEL);
  // The filter also reports an end of silence at the end of the audio.
  const heard = [...sound.stderr.matchAll(/silence_end: ([\d.]+)/g)].slice(0, FLASH_AT_SEC.length);
  return { flashesSec: flashes.map(([, sec]) => Number(sec)), beepsSec: heard.map(([, sec]) => Number(sec)) };
}
