/**
 * Style of the transcript panel. The video makes space for the panel: it moves to the side, or to the top on a phone in
 * portrait orientation. In a small frame, the panel covers the video.
 */
export const TRANSCRIPT_STYLE = `
.transcript {
  position: absolute; inset-block: 0; inset-inline-end: 0; z-index: 3; display: flex; flex-direction: column;
  width: min(380px, 100%); background: rgb(18 20 26); color: #fff; font: 14px / 1.45 var(--media-font-family);
  opacity: 1 !important; pointer-events: auto !important; text-align: start;
}
.transcript[hidden] { display: none; }
.transcript svg {
  width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round;
  stroke-linejoin: round;
}
.transcript button, .transcript select, .transcript input { font: inherit; color: inherit; }
.transcript-head { display: flex; align-items: center; gap: 8px; padding: 10px 10px 6px 16px; }
.transcript-head:dir(rtl) { padding: 10px 16px 6px 10px; }
.transcript h2 { flex: 1 1 auto; margin: 0; font-size: 15px; font-weight: 600; }
.transcript select {
  max-width: 45%; height: 32px; padding: 0 8px; border: 1px solid rgb(255 255 255 / .28); border-radius: 8px;
  background: rgb(30 33 42);
}
.transcript-tool {
  display: inline-grid; place-content: center; flex: none; width: 34px; height: 34px; padding: 0; border: 0;
  border-radius: 10px;
  background: none; cursor: pointer;
}
.transcript-tool:hover { background: rgb(255 255 255 / .12); }
.transcript-tool[disabled] { opacity: .4; cursor: default; }
.transcript-search { display: flex; align-items: center; gap: 2px; padding: 0 10px 8px 16px; }
.transcript-search:dir(rtl) { padding: 0 16px 8px 10px; }
.transcript-search input {
  flex: 1 1 auto; min-width: 0; height: 36px; padding: 0 12px; border: 1px solid rgb(255 255 255 / .28);
  border-radius: 10px;
  background: rgb(30 33 42);
}
.transcript-search input::placeholder { color: rgb(255 255 255 / .66); opacity: 1; }
.transcript-count {
  flex: none; padding-inline: 8px 2px; font-size: 12px; font-variant-numeric: tabular-nums;
  color: rgb(255 255 255 / .78);
}
.transcript ol {
  flex: 1 1 auto; min-height: 0; margin: 0; padding: 0 8px 12px; list-style: none; overflow: auto;
  overscroll-behavior: contain;
  scrollbar-width: thin; scrollbar-color: rgb(255 255 255 / .3) transparent;
}
.transcript li { content-visibility: auto; contain-intrinsic-size: auto 44px; }
.transcript li > button {
  display: grid; grid-template-columns: auto 1fr; gap: 0 10px; width: 100%; padding: 8px; border: 0; border-radius: 9px;
  background: none; text-align: start; cursor: pointer; touch-action: manipulation;
}
.transcript li > button:hover { background: rgb(255 255 255 / .09); }
.transcript li > button[aria-current=true] {
  background: rgb(255 255 255 / .14); box-shadow: inset 3px 0 0 var(--player-accent);
}
.transcript li > button:dir(rtl)[aria-current=true] { box-shadow: inset -3px 0 0 var(--player-accent); }
.transcript li > button:focus-visible { box-shadow: inset 0 0 0 2px var(--player-focus); }
.transcript time {
  font-variant-numeric: tabular-nums; color: rgb(255 255 255 / .74); font-size: 13px; line-height: 20px;
}
.transcript .speaker { grid-column: 2; font-size: 12px; font-weight: 600; color: rgb(255 255 255 / .78); }
.transcript .words { grid-column: 2; overflow-wrap: anywhere; }
.transcript time + .words { grid-column: auto; }
.transcript mark { border-radius: 3px; background: #ffe27a; color: #14161c; }
.transcript li > button.found { background: rgb(255 226 122 / .2); }
.transcript-note { margin: 0; padding: 20px 24px; color: rgb(255 255 255 / .78); }
.transcript-follow {
  position: absolute; inset-inline: 0; bottom: 14px; width: max-content; margin: auto; height: 34px; padding: 0 16px;
  border: 0;
  border-radius: 17px; background: #fff; color: #14161c !important; font-weight: 600 !important;
  box-shadow: 0 6px 24px rgb(0 0 0 / .5); cursor: pointer;
}
.transcript-follow[hidden] { display: none; }
@media (min-width: 720px) and (min-height: 300px) {
  media-controller[transcript-open] > :is(video, .veil, .blur, bunny-poster-image) {
    width: calc(100% - 380px); inset-inline-end: auto;
  }
  media-controller[transcript-open]
    > :is(bunny-media-control-bar, .shade, bunny-captions-display, .end-screen, .notice) {
    inset-inline-end: 380px;
  }
  media-controller[transcript-open] > bunny-settings-menu { inset-inline-end: 392px; }
  media-controller[transcript-open] > :is(.large-play, media-loading-indicator) { translate: -190px 0; }
  media-controller[transcript-open]:dir(rtl) > :is(.large-play, media-loading-indicator) { translate: 190px 0; }
}
@media (max-width: 719px) and (min-height: 520px) {
  .transcript { inset-block: 40% 0; }
  media-controller[transcript-open] > :is(video, .veil, .blur, bunny-poster-image) {
    height: 40%; inset-block-end: auto;
  }
  media-controller[transcript-open]
    > :is(bunny-media-control-bar, .shade, bunny-captions-display, .end-screen, .notice) {
    inset-block-end: 60%;
  }
  media-controller[transcript-open] > :is(.large-play, media-loading-indicator) { translate: 0 -30vh; }
}
@media (max-width: 719px), (max-height: 299px) {
  .transcript { width: 100%; }
  .transcript-head { padding-block: 4px; }
  .transcript-search { padding-bottom: 4px; }
}
@media (max-height: 299px) {
  .transcript h2 { font-size: 13px; }
  .transcript-search input { height: 30px; }
  .transcript li > button { padding: 4px 8px; }
}
@media (forced-colors: active) {
  .transcript { border-inline-start: 1px solid CanvasText; }
  .transcript li > button[aria-current=true] { outline: 2px solid Highlight; outline-offset: -2px; }
}
`;
