import type { Actions } from '../bar/actions.ts';
import type { ControlParts } from '../parts.ts';

const SEEK_SEC = 10;

/** Shows the title and poster on lock screens and in media controls of the system, and follows their buttons. */
export function mountMediaSession({ video, session }: ControlParts, actions: Actions): void {
  if (!('mediaSession' in navigator)) return;
  const { mediaSession } = navigator;
  const describe = () => {
    const { title, posterUrl } = session.state;
    // Firefox fetches the picture immediately, and in addition to the poster.
    const isUsed = !video.paused || video.played.length > 0;
    const artwork = posterUrl === null || !isUsed ? [] : [{ src: new URL(posterUrl, location.href).href }];
    mediaSession.metadata = new MediaMetadata({ title, artwork });
  };
  session.addEventListener('view', describe);
  video.addEventListener('play', describe, { once: true });
  describe();
  listenToButtons(mediaSession, video, actions);
  const place = () => mediaSession.setPositionState(positionOf(video));
  for (const name of ['durationchange', 'ratechange', 'seeked', 'playing', 'emptied']) {
    video.addEventListener(name, place);
  }
  place();
}

function listenToButtons(mediaSession: MediaSession, video: HTMLVideoElement, actions: Actions): void {
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: () => video.paused && actions.togglePlay(),
    pause: () => video.pause(),
    seekbackward: ({ seekOffset }) => actions.seekBy(-(seekOffset ?? SEEK_SEC)),
    seekforward: ({ seekOffset }) => actions.seekBy(seekOffset ?? SEEK_SEC),
    seekto: ({ seekTime }) => actions.seek(seekTime ?? video.currentTime),
    stop: () => video.pause(),
  };
  for (const [action, handler] of Object.entries(handlers)) {
    try {
      // The keys come from the literal above.
      mediaSession.setActionHandler(action as MediaSessionAction, handler);
    } catch (error) {
      // A browser refuses actions that it does not know.
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

/** Returns the position that the system shows. Without one, as for a live stream, it shows no time. */
function positionOf({ duration, currentTime, playbackRate }: HTMLVideoElement): MediaPositionState | undefined {
  if (!Number.isFinite(duration) || duration <= 0 || playbackRate === 0) return undefined;
  return { duration, playbackRate, position: Math.min(currentTime, duration) };
}
