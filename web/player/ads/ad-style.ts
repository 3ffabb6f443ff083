export const AD_STYLE = `
.ad {
  position: absolute; inset: 0; z-index: 3; background: #000; opacity: 1 !important; pointer-events: auto !important;
}
.ad-film { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
.ad-bar {
  position: absolute; inset: auto 0 0; display: flex; align-items: center; gap: 8px; padding: 28px 12px 12px;
  background: linear-gradient(to top, rgb(0 0 0 / .72), transparent); color: #fff;
  font: 13px / 1.4 var(--media-font-family);
}
.ad-label {
  display: inline-flex; gap: 6px; align-items: baseline; margin-inline-end: auto; padding: 4px 10px;
  border-radius: 14px;
  background: rgb(12 14 20 / .78); font-variant-numeric: tabular-nums; white-space: nowrap;
}
.ad-visit, .ad-skip {
  height: 34px; padding: 0 14px; border: 0; border-radius: 17px; font: inherit; font-weight: 600; line-height: 34px;
  text-decoration: none; white-space: nowrap; cursor: pointer;
}
.ad-visit { background: rgb(12 14 20 / .78); color: #fff; overflow: hidden; text-overflow: ellipsis; min-width: 0; }
.ad-skip { background: #fff; color: #14161c; }
.ad-skip[disabled] { background: rgb(12 14 20 / .78); color: #fff; cursor: default; }
media-controller[in-ad] > :not(video, .ad) { visibility: hidden; }
@media (max-width: 419px) {
  .ad-bar { flex-wrap: wrap; justify-content: flex-end; padding: 20px 6px 6px; font-size: 12px; gap: 4px; }
  .ad-label { position: absolute; inset-inline-start: 6px; bottom: 46px; }
  .ad-visit, .ad-skip { padding: 0 10px; }
}
@media (forced-colors: active) { .ad-visit, .ad-skip, .ad-label { border: 1px solid ButtonText; } }
`;
