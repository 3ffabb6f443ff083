import { useEffect, useRef } from 'preact/hooks';

/**
 * Writes the height of an element into a variable of the page's style while it is shown, so that the bars and messages
 * at the bottom of the window are above each other.
 */
export function useHeightVariable<T extends Element>(name: `--${string}`, isShown: boolean) {
  const element = useRef<T>(null);
  useEffect(() => {
    const { current } = element;
    if (!isShown || current === null) return;
    const { style } = document.documentElement;
    const watch = new ResizeObserver(() =>
      style.setProperty(name, `${Math.ceil(current.getBoundingClientRect().height)}px`),
    );
    watch.observe(current);
    return () => {
      watch.disconnect();
      style.removeProperty(name);
    };
  }, [name, isShown]);
  return element;
}
