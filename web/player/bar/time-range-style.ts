/** Style of the seek bar. It supports the same CSS variables as the ranges of media-chrome. */
export const TIME_RANGE_STYLE = `
:host {
  --_bar: var(--media-range-bar-color, var(--player-accent, #ff5f1f));
  display: block; position: relative; height: 20px; margin: 0 14px; cursor: pointer; outline: none;
  touch-action: none; -webkit-tap-highlight-color: transparent;
}
[hidden] { display: none !important; }
.track {
  position: absolute; inset-inline: 0; top: 50%; height: var(--media-range-track-height, 4px);
  transform: translateY(-50%);
  border-radius: var(--media-range-track-border-radius, 4px); overflow: hidden;
  background: var(--media-range-track-background, rgb(255 255 255 / .22));
  transition: height .15s ease;
}
.buffered, .progress, .pointer {
  position: absolute; inset: 0; transform-origin: left; transform: scaleX(0);
}
:host(:dir(rtl)) :is(.buffered, .progress, .pointer) { transform-origin: right; }
.buffered { background: var(--media-time-range-buffered-color, rgb(255 255 255 / .3)); }
.pointer { background: rgb(255 255 255 / .22); opacity: 0; transition: opacity .15s; }
.progress { background: var(--_bar); }
.thumb {
  position: absolute; top: 50%; width: 14px; height: 14px; margin: -7px; border-radius: 50%;
  background: var(--media-range-thumb-background, #fff); box-shadow: 0 1px 6px rgb(0 0 0 / .4);
  transform: scale(0); transition: transform .15s ease;
}
.heat {
  position: absolute; inset-inline: 0; bottom: 12px; height: 34px; width: 100%; overflow: visible; pointer-events: none;
  opacity: 0; transition: opacity .2s; fill: rgb(255 255 255 / .3);
}
:host(:hover) .heat, :host(:focus-visible) .heat, :host([dragging]) .heat { opacity: 1; }
.hot {
  width: max-content; margin: 0 auto 6px; padding: 2px 8px; border-radius: 10px; white-space: nowrap;
  font-size: 11px; line-height: 16px; background: rgb(12 14 20 / .72);
}
:host(:not([hot])) .hot { display: none; }
:host(:is(:hover, :focus-visible, [dragging])) .track { height: var(--media-range-track-height, 6px); }
:host(:is(:hover, :focus-visible, [dragging])) .thumb { transform: scale(1); }
:host(:is(:hover, [dragging])) .pointer { opacity: 1; }
:host(:focus-visible) .thumb { box-shadow: 0 0 0 3px var(--player-focus, #fff), 0 0 0 5px rgb(0 0 0 / .6); }
.preview {
  position: absolute; left: 0; bottom: 26px; max-width: min(100%, 216px); width: max-content; box-sizing: border-box;
  text-align: center; color: #fff; font-size: 13px; line-height: 18px; pointer-events: none; opacity: 0;
  transition: opacity .12s; filter: drop-shadow(0 6px 18px rgb(0 0 0 / .45));
}
:host([previewing]) .preview { opacity: 1; }
.picture {
  position: relative; width: min(200px, 40vw); overflow: hidden; margin: 0 auto 6px; border-radius: 8px;
  background: #14161c;
  box-shadow: 0 0 0 1.5px rgb(255 255 255 / .85);
}
.picture img { position: absolute; left: 0; top: 0; max-width: none; transform-origin: 0 0; }
.picture canvas { display: block; width: 100%; height: 100%; }
.picture [hidden] { display: none; }
.title {
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600;
  text-shadow: 0 1px 4px rgb(0 0 0 / .9);
}
.time { font-variant-numeric: tabular-nums; text-shadow: 0 1px 4px rgb(0 0 0 / .9); }
@media (max-height: 239px) { .picture, .heat, .hot { display: none; } .preview { bottom: 20px; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) {
  .track { background: GrayText; forced-color-adjust: none; }
  .progress { background: Highlight; }
  .thumb { background: ButtonText; forced-color-adjust: none; }
}
`;
