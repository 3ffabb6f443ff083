export const PLAYLIST_STYLE = `
.up-next {
  display: grid;
  justify-items: center;
  gap: clamp(4px, 1.2vh, 10px);
  pointer-events: auto;
}
.up-next[hidden] {
  display: none;
}
.up-next p {
  margin: 0;
}
.up-next-title {
  max-width: 40ch;
  font-size: clamp(13px, 2.2vw, 17px);
  overflow-wrap: anywhere;
  display: -webkit-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  overflow: hidden;
}
.up-next-time {
  min-height: 1.4em;
  color: #dfe3ea;
  font-size: 13px;
  font-variant-numeric: tabular-nums;
}
.up-next-row {
  display: flex;
  flex-wrap: wrap;
  justify-content: center;
  gap: 10px;
}
.up-next-row button {
  min-height: 40px;
  padding: 0 20px;
  border: 1px solid #fff;
  border-radius: 20px;
  background: #fff;
  color: #14161c;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
.up-next-row .up-next-cancel {
  background: rgb(20 22 28 / 70%);
  color: #fff;
}
.end-screen:has(.up-next:not([hidden])) .end-title {
  display: none;
}
`;
