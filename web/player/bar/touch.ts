/** Longer than a tap, shorter than two. */
const TAP_MS = 400;

/**
 * A first tap on hidden controls shows them and presses none: what it would hit could not be seen. Those of audio alone
 * always are.
 */
export function mountTouch(frame: HTMLElement, video: HTMLVideoElement): void {
  let blindAtMs = Number.NEGATIVE_INFINITY;
  frame.addEventListener(
    'pointerdown',
    ({ pointerType }) => {
      const isHidden = frame.hasAttribute('userinactive') && !frame.hasAttribute('audio-only');
      const isBlind = pointerType === 'touch' && !video.paused && isHidden;
      if (isBlind) blindAtMs = performance.now();
    },
    { capture: true },
  );
  frame.addEventListener(
    'click',
    (event) => {
      if (performance.now() - blindAtMs > TAP_MS) return;
      event.stopPropagation();
      event.preventDefault();
    },
    { capture: true },
  );
}
