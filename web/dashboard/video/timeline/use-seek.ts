import { useRef } from 'preact/hooks';
import type { PlayerLink } from '../player-frame.tsx';

/** Returns a function that moves the player, at most once per drawn frame. */
export function useSeek(link: PlayerLink): (sec: number) => void {
  const wished = useRef<number | null>(null);
  return (sec) => {
    const isWaiting = wished.current !== null;
    wished.current = sec;
    // Move the playhead immediately, even if the player follows later.
    link.timeSec.value = sec;
    if (isWaiting) return;
    requestAnimationFrame(() => {
      if (wished.current !== null) link.seek(wished.current);
      wished.current = null;
    });
  };
}
