import type { Page } from 'playwright-core';

/**
 * Returns the visible, enabled controls of a page that do not receive a click at their own centre after they were
 * scrolled into view, each with the element that receives it.
 */
export async function missedClicks(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const CONTROLS = 'a[href], button, input, select, textarea, summary, label.button, [role=button], [role=slider]';
    const GRIP_PX = 8;
    const missed: string[] = [];
    const describe = (element: Element | null) =>
      element === null
        ? 'nothing'
        : `${element.tagName.toLowerCase()}.${element.className} “${element.textContent?.trim().slice(0, 40)}”`;
    for (const control of document.querySelectorAll<HTMLElement>(CONTROLS)) {
      const isShown = control.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (!isShown || control.matches(':disabled, .skip') || control.closest('[inert]') !== null) continue;
      control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      // A link in running text can have several boxes.
      const box = control.getClientRects()[0];
      // A field of one pixel belongs to a label that looks like a button.
      if (box === undefined || box.width <= 1 || box.height <= 1) continue;
      // A play head is a line that lets clicks through, with a grip at its top.
      const down = control.matches('.playhead') ? GRIP_PX : box.height / 2;
      const hit = document.elementFromPoint(box.x + box.width / 2, box.y + down);
      const isHit = hit !== null && (control.contains(hit) || hit.closest('label')?.control === control);
      const name = control.getAttribute('aria-label') ?? control.textContent?.trim().slice(0, 40);
      if (!isHit) missed.push(`${control.tagName.toLowerCase()} “${name}” is covered by ${describe(hit)}`);
    }
    return missed;
  });
}
