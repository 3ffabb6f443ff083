/** Player pages, whose path ends with the id of their video. */
const PLAYER_PATH = /^\/embed\/\d+\/([0-9a-f-]{36})$/;

/**
 * Lets the list of a share page choose the video in the player, and marks the video that the player shows, because it
 * goes to the next one by itself.
 */
export function followPlaylist(frame: HTMLIFrameElement, list: HTMLElement): void {
  const links = [...list.querySelectorAll<HTMLAnchorElement>('a[data-video]')];
  const open = (link: HTMLAnchorElement | undefined) => {
    if (link === undefined) return;
    // The player has the same origin, so its video is accessible.
    const isMuted = frame.contentDocument?.querySelector('video')?.muted === true;
    const muted = isMuted ? { muted: 'true' } : {};
    const query = new URLSearchParams({ video: link.dataset.video ?? '', autoplay: 'true', ...muted });
    frame.contentWindow?.location.replace(`${location.pathname}/player?${query}`);
    frame.scrollIntoView({ block: 'nearest' });
  };
  list.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-video]') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(link);
  });
  document.addEventListener('keydown', (event) => {
    if (!event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { n: 1, p: -1 }[event.key.toLowerCase()];
    if (step === undefined) return;
    event.preventDefault();
    open(links[links.findIndex((link) => link.ariaCurrent === 'true') + step]);
  });
  frame.addEventListener('load', () => {
    const id = shownIn(frame);
    const link = links.find(({ dataset }) => dataset.video === id);
    if (link !== undefined) mark(link, links, frame);
  });
}

function mark(link: HTMLAnchorElement, links: readonly HTMLAnchorElement[], frame: HTMLIFrameElement): void {
  for (const each of links) each.ariaCurrent = each === link ? 'true' : null;
  // Scrolls only the list, not the page.
  const list = link.closest('ol');
  if (list !== null) list.scrollTop = (link.parentElement?.offsetTop ?? 0) - list.offsetTop;
  const title = link.querySelector('.name')?.textContent ?? '';
  frame.title = title;
  const heading = document.querySelector('#shown');
  if (heading !== null) heading.textContent = title;
  const query = `?video=${link.dataset.video}`;
  const download = document.querySelector<HTMLAnchorElement>('#download');
  if (download !== null) download.href = `${location.pathname}/download${query}`;
  history.replaceState(null, '', query);
}

/** Returns the id of the video in the player, or null if it shows none. */
function shownIn(frame: HTMLIFrameElement): string | null {
  try {
    return PLAYER_PATH.exec(frame.contentWindow?.location.pathname ?? '')?.[1] ?? null;
  } catch (error) {
    // The browser's own error pages have another origin.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
