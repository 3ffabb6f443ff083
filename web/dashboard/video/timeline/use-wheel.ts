import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Listens for the wheel with an active listener, which may prevent the browser from zooming or scrolling the page. */
export function useWheel(element: RefObject<HTMLElement | null>, listener: (event: WheelEvent) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const { current } = element;
    const listen = (event: WheelEvent) => latest.current(event);
    current?.addEventListener('wheel', listen, { passive: false });
    return () => current?.removeEventListener('wheel', listen);
  }, [element]);
}
