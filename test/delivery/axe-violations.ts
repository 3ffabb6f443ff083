import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js');

/** What axe finds wrong in a page, or in the parts of it that a selector names, by rule and element. */
export async function axeViolations(page: Page, part: string | null = null): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const found = (await page.evaluate(part === null ? 'axe.run()' : `axe.run(${JSON.stringify(part)})`)) as AxeResults;
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
