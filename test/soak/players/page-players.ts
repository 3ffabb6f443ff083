// Runs in the page of a player. Its types are stripped when it is served.
import { until } from './page-wait.ts';
import type { Trial } from './trial.ts';

/** The page's interface to any player. `choose` selects the rung with this height and turns adaptation off. */
export type Player = { video: HTMLVideoElement; heights(): number[]; choose(heightPx: number): void };
type Open = (host: HTMLElement, address: string, fail: (reason: string) => void) => Promise<Player>;

/** These players are classic scripts that define globals with different types. */
// biome-ignore lint/suspicious/noExplicitAny: eleven packages of ten years have no common type.
const scope = window as any;

/** A short buffer, because players would otherwise buffer the whole clip before a rung can be chosen. */
const SHORT_BUFFER = { stableBufferTime: 4, bufferTimeAtTopQuality: 4, fastSwitchEnabled: true };

function addVideo(host: HTMLElement): HTMLVideoElement {
  const video = document.createElement('video');
  video.width = 640;
  video.height = 360;
  host.append(video);
  return video;
}

function openHls(video: HTMLVideoElement, address: string, fail: (reason: string) => void): Player {
  const hls = new scope.Hls();
  hls.on(scope.Hls.Events.ERROR, (_: unknown, { fatal, details }: { fatal: boolean; details: string }) => {
    if (fatal) fail(details);
  });
  hls.loadSource(address);
  hls.attachMedia(video);
  const heights = (): number[] => (hls.levels ?? []).map(({ height }: { height: number }) => height);
  return {
    video,
    heights,
    choose: (heightPx) => {
      hls.nextLevel = heights().indexOf(heightPx);
    },
  };
}

/** Opens each kind of player. */
export const OPEN: Record<Trial['player']['kind'], Open> = {
  'hls.js': async (host, address, fail) => openHls(addVideo(host), address, fail),
  async Plyr(host, address, fail) {
    const player = openHls(addVideo(host), address, fail);
    new scope.Plyr(player.video);
    return player;
  },
  async Shaka(host, address, fail) {
    const video = addVideo(host);
    scope.shaka.polyfill.installAll();
    const player = new scope.shaka.Player();
    await player.attach(video);
    player.configure({ streaming: { bufferingGoal: 4 } });
    player.addEventListener('error', ({ detail }: { detail: { code: number; severity: number } }) => {
      if (detail.severity === 2) fail(`error ${detail.code}`);
    });
    await player.load(address).catch(({ code }: { code: number }) => fail(`error ${code}`));
    const tracks = (): { height: number }[] => player.getVariantTracks();
    return {
      video,
      heights: () => tracks().map(({ height }) => height),
      choose: (heightPx) => {
        player.configure({ abr: { enabled: false } });
        player.selectVariantTrack(tracks().find(({ height }) => height === heightPx));
      },
    };
  },
  async 'dash.js'(host, address, fail) {
    const video = addVideo(host);
    const player = scope.dashjs.MediaPlayer().create();
    player.on('error', ({ error }: { error: { message?: string } }) => fail(error?.message ?? String(error)));
    const isOld = player.getRepresentationsByType === undefined;
    // In Chromium, dash.js 5 with the short buffer completes a seek during a pause only once playback resumes.
    player.updateSettings({ streaming: isOld ? SHORT_BUFFER : { buffer: { fastSwitchEnabled: true } } });
    player.initialize(video, address, false);
    const rungs = (): { height: number }[] =>
      isOld ? player.getBitrateInfoListFor('video') : player.getRepresentationsByType('video');
    return {
      video,
      heights: () => rungs().map(({ height }) => height),
      choose: (heightPx) => {
        player.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: false } } } });
        const index = rungs().findIndex(({ height }) => height === heightPx);
        if (isOld) player.setQualityFor('video', index, true);
        else player.setRepresentationForTypeByIndex('video', index, true);
      },
    };
  },
  async 'Video.js'(host, address, fail) {
    const element = addVideo(host);
    element.className = 'video-js';
    const html5 = { vhs: { overrideNative: true } };
    scope.videojs.Vhs.GOAL_BUFFER_LENGTH = 4;
    const player = scope.videojs(element, { html5, sources: [{ src: address, type: typeOf(address) }] });
    player.on('error', () => fail(player.error()?.message));
    await new Promise<void>((resolve) => player.ready(resolve));
    type Rung = { height: number; enabled(isEnabled: boolean): void };
    const rungs = (): Rung[] => player.tech({ IWillNotUseThisInPlugins: true }).vhs?.representations?.() ?? [];
    return {
      video: host.querySelector('video') as HTMLVideoElement,
      heights: () => rungs().map(({ height }) => height),
      choose: (heightPx) => {
        // Enables the wanted rung before disabling the others: with no enabled rung, the player falls back to all.
        for (const isWanted of [true, false]) {
          for (const rung of rungs()) if ((rung.height === heightPx) === isWanted) rung.enabled(isWanted);
        }
      },
    };
  },
  async Clappr(host, address, fail) {
    const player = new scope.Clappr.Player({ source: address, parent: host, width: 640, height: 360 });
    player.on(scope.Clappr.Events.PLAYER_ERROR, (error: { code?: string }) => fail(String(error?.code)));
    await until('element', () => host.querySelector('video') !== null);
    player.play();
    const playback = () => player.core.activePlayback;
    const heights = (): number[] =>
      (playback().levels ?? []).map(({ level }: { level: { height: number } }) => level.height);
    return {
      video: host.querySelector('video') as HTMLVideoElement,
      heights,
      choose: (heightPx) => {
        playback().currentLevel = playback().levels[heights().indexOf(heightPx)].id;
      },
    };
  },
};

const typeOf = (address: string) => (address.endsWith('.mpd') ? 'application/dash+xml' : 'application/x-mpegURL');
