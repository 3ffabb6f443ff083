import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import koffi from 'koffi';
import { measureRecording, readPictureFile } from './measure-recording.ts';
import type { NativePlayer } from './native-trial.ts';

/** `libvlc_state_t` of libVLC 3. */
const STATE = { playing: 3, ended: 6, error: 7 } as const;
/** Timeout that only a hang exceeds. */
const START_MS = 20_000;
const RECORD_MS = 90_000;
const ARGV = ['--intf=dummy', '--vout=vdummy', '--aout=adummy', '--no-video-title-show', '--quiet'];

/** An opaque handle of the library. */
type Handle = unknown;

function bind() {
  const vlc = koffi.load('libvlc.so.5');
  return {
    create: vlc.func('void *libvlc_new(int argc, const char **argv)'),
    release: vlc.func('void libvlc_release(void *vlc)'),
    media: vlc.func('void *libvlc_media_new_location(void *vlc, const char *address)'),
    addOption: vlc.func('void libvlc_media_add_option(void *media, const char *option)'),
    releaseMedia: vlc.func('void libvlc_media_release(void *media)'),
    player: vlc.func('void *libvlc_media_player_new_from_media(void *media)'),
    play: vlc.func('int libvlc_media_player_play(void *player)'),
    setPause: vlc.func('void libvlc_media_player_set_pause(void *player, int isPaused)'),
    stop: vlc.func('void libvlc_media_player_stop(void *player)'),
    releasePlayer: vlc.func('void libvlc_media_player_release(void *player)'),
    setTime: vlc.func('void libvlc_media_player_set_time(void *player, int64_t ms)'),
    state: vlc.func('int libvlc_media_player_get_state(void *player)'),
    snapshot: vlc.func(
      'int libvlc_video_take_snapshot(void *player, uint32_t index, const char *file, uint32_t w, uint32_t h)',
    ),
  };
}

/**
 * Opens libVLC in this process, because the VLC program refuses to run as root, and its remote control seeks only by
 * whole seconds.
 */
export async function openVlc(address: string, folder: string): Promise<NativePlayer> {
  const vlc = bind();
  const instance: Handle = vlc.create(ARGV.length, ARGV);
  const media: Handle = vlc.media(instance, address);
  const player: Handle = vlc.player(media);
  vlc.releaseMedia(media);
  const start = async () => {
    vlc.play(player);
    await until('play', START_MS, () => vlc.state(player) === STATE.playing);
  };
  await start();
  return {
    measure: () => measure(vlc, instance, { address, folder }),
    play: async () => vlc.setPause(player, 0),
    pause: async () => vlc.setPause(player, 1),
    seek: async (sec) => vlc.setTime(player, Math.round(sec * 1000)),
    async replay() {
      vlc.stop(player);
      await start();
    },
    // libVLC begins with the lowest rung and chooses on its own. The trial waits until it reaches this one.
    choose: async () => undefined,
    async read() {
      const file = path.join(folder, 'vlc.png');
      await rm(file, { force: true });
      vlc.snapshot(player, 0, file, 0, 0);
      // If no frame is shown, libVLC writes no file, even if the call returns success.
      const shown = await readPictureFile(file).catch(() => null);
      return shown === null || shown.number === null ? null : { number: shown.number, heightPx: shown.heightPx };
    },
    isEnded: async () => vlc.state(player) === STATE.ended,
    async close() {
      vlc.stop(player);
      vlc.releasePlayer(player);
      vlc.release(instance);
    },
  };
}

async function until(what: string, limitMs: number, isDone: () => boolean): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!isDone()) {
    if (performance.now() > endMs) throw new Error(`VLC did not ${what} within ${limitMs} ms`);
    await sleep(20);
  }
}

/** Plays into a file, which takes as long as the clip. */
async function measure(
  vlc: ReturnType<typeof bind>,
  instance: Handle,
  { address, folder }: { address: string; folder: string },
) {
  const file = path.join(folder, 'vlc.mkv');
  const media: Handle = vlc.media(instance, address);
  const transcode = 'transcode{vcodec=mp4v,vb=8000,acodec=s16l,channels=2,samplerate=48000}';
  const output = `${transcode}:std{access=file,mux=mkv,dst=${file}}`;
  vlc.addOption(media, `:sout=#${output}`);
  const player: Handle = vlc.player(media);
  vlc.releaseMedia(media);
  try {
    vlc.play(player);
    await until('end', RECORD_MS, () => [STATE.ended, STATE.error].includes(vlc.state(player)));
  } finally {
    vlc.stop(player);
    vlc.releasePlayer(player);
  }
  return { ...(await measureRecording(file)), recording: null };
}
