/** A Cast sender with one receiver, as a substitute for Google's. It obeys the page and stops at 6 s. */
export const CAST_SENDER = `(() => {
  const context = new EventTarget();
  const player = { isConnected: false, isPaused: false, currentTime: 0 };
  let session = null;
  const runs = [];
  const changed = () => runs.forEach((run) => run());
  Object.assign(context, {
    setOptions: () => undefined,
    getCastState: () => (session === null ? 'NOT_CONNECTED' : 'CONNECTED'),
    getCurrentSession: () => session,
    requestSession: async () => {
      session = {
        getCastDevice: () => ({ friendlyName: 'Living room' }),
        loadMedia: async (request) => { window.castRequest = request; player.isConnected = true; changed(); },
      };
    },
    endCurrentSession: () => { session = null; player.isConnected = false; player.currentTime = 6; changed(); },
  });
  function RemotePlayer() { return player; }
  function RemotePlayerController() {
    return {
      addEventListener: (name, run) => runs.push(run),
      playOrPause: () => { player.isPaused = !player.isPaused; changed(); },
      seek: () => undefined,
    };
  }
  window.cast = { framework: { CastContext: { getInstance: () => context }, RemotePlayer, RemotePlayerController } };
  class MediaInfo { constructor(contentId, contentType) { Object.assign(this, { contentId, contentType }); } }
  class GenericMediaMetadata {}
  class LoadRequest { constructor(media) { this.media = media; } }
  const media = { DEFAULT_MEDIA_RECEIVER_APP_ID: 'CC1AD845', MediaInfo, GenericMediaMetadata, LoadRequest };
  window.chrome = Object.assign(window.chrome ?? {}, { cast: { media } });
  window.__onGCastApiAvailable(true);
})()`;
