/** Longer than one tap, shorter than two. */
const TAP_MS = 400;

/**
 * A first tap on hidden controls only shows them, because the user could not see the target. Controls of audio-only
 * media are always visible.
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
