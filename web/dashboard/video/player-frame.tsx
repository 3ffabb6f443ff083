import { type Signal, signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { videoState } from '../base/words.ts';
import { frameShape } from '../uploads/embed-code.ts';

/** The real player in its frame, controlled by the player.js protocol as on any page. */
export type PlayerLink = {
  frame: RefObject<HTMLIFrameElement | null>;
  timeSec: Signal<number>;
  isPlaying: Signal<boolean>;
  seek: (sec: number) => void;
  play: () => void;
  pause: () => void;
};

const CONTEXT = { context: 'player.js', version: '0.0.11' };
const EVENTS = ['timeupdate', 'play', 'pause', 'ended'];
/** Frames start at rounded times. A position slightly later shows the frame that starts there. */
const INTO_FRAME_SEC = 0.001;

/** Time after a seek in which positions that do not match it belong to earlier seeks. */
const SEEK_LIMIT_MS = 3000;
const SEEK_TOLERANCE_SEC = 0.01;
/** Time that may have been played before the player reports its position. */
const PLAYED_SEC = 0.5;

/** The last seek whose position the player has not reported yet. */
type Sought = { sec: number; untilMs: number };

/** Returns whether a reported position is older than a seek. Otherwise steps in quick succession would be lost. */
function isEarlier(seconds: number, { sec, untilMs }: Sought, isPlaying: boolean): boolean {
  const after = seconds - INTO_FRAME_SEC - sec;
  const isReached = after > -SEEK_TOLERANCE_SEC && after < (isPlaying ? PLAYED_SEC : SEEK_TOLERANCE_SEC);
  return !isReached && performance.now() < untilMs;
}

export function usePlayer(): PlayerLink {
  const frame = useRef<HTMLIFrameElement>(null);
  const timeSec = useMemo(() => signal(0), []);
  const isPlaying = useMemo(() => signal(false), []);
  const sought = useRef<Sought | null>(null);
  const send = (message: object) => {
    const { current } = frame;
    if (current?.src)
      current.contentWindow?.postMessage(JSON.stringify({ ...CONTEXT, ...message }), new URL(current.src).origin);
  };
  useEffect(() => {
    const receive = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || typeof data !== 'string') return;
      const { event, value } = readEvent(data);
      if (event === 'ready')
        for (const name of EVENTS) send({ method: 'addEventListener', value: name, listener: 'dashboard' });
      // `ready` also follows a reload of the player page.
      if (event === 'ready' || event === 'pause' || event === 'ended') isPlaying.value = false;
      if (event === 'play') isPlaying.value = true;
      if (event === 'timeupdate' && typeof value?.seconds === 'number') {
        if (sought.current !== null && isEarlier(value.seconds, sought.current, isPlaying.value)) return;
        // The response to a seek is the same position.
        const isSame = Math.abs(value.seconds - INTO_FRAME_SEC - timeSec.value) < INTO_FRAME_SEC / 2;
        if (!isSame) timeSec.value = value.seconds;
        sought.current = null;
      }
    };
    addEventListener('message', receive);
    return () => removeEventListener('message', receive);
  }, [timeSec, isPlaying]);
  return {
    frame,
    timeSec,
    isPlaying,
    seek: (sec) => {
      timeSec.value = sec;
      sought.current = { sec, untilMs: performance.now() + SEEK_LIMIT_MS };
      send({ method: 'setCurrentTime', value: sec + INTO_FRAME_SEC });
    },
    play: () => send({ method: 'play' }),
    pause: () => send({ method: 'pause' }),
  };
}

function readEvent(text: string): { event?: string; value?: { seconds?: number } } {
  try {
    return Object(JSON.parse(text));
  } catch {
    // Ignores other messages of the page.
    return {};
  }
}

type PlayerProps = { libraryId: number; video: VideoModel; link: PlayerLink };

export function Player({ libraryId, video, link }: PlayerProps) {
  const { value } = useLoaded<{ address: string }>(
    `/dashboard/libraries/${libraryId}/videos/${video.guid}/embed-address`,
  );
  const { isPlayable, word } = videoState(video);
  if (!isPlayable || value.value === null) {
    return (
      <div class="player waiting">
        <p>{isPlayable ? '' : tr(word)}</p>
      </div>
    );
  }
  const address = new URL(value.value.address);
  address.searchParams.set('autoplay', 'false');
  address.searchParams.set('preload', 'none');
  // An owner's preview does not count as a view.
  address.searchParams.set('count', 'false');
  return (
    <iframe
      ref={link.frame}
      {...frameShape(video)}
      title={t('Player: {0}', video.title)}
      src={address.href}
      allow="autoplay; encrypted-media; picture-in-picture; fullscreen"
    />
  );
}
