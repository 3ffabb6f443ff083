import type { Browser, Page } from 'playwright-core';

/** Opens a page for `work`, with the errors of its scripts and console, and closes it afterwards. */
export async function withPage(browser: Browser, work: (page: Page, faults: string[]) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  try {
    await work(page, faults);
  } finally {
    await page.close();
  }
}
