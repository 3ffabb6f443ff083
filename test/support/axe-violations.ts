import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

const AXE = path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js');

/**
 * Returns the violations that axe finds in a page or frame, or in the part that an axe context names, by rule and
 * element.
 */
export async function axeViolations(
  page: Page | Frame,
  part: string | { exclude: string[] } = 'html',
): Promise<string[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(await readFile(AXE, 'utf8'));
  // Passed checks are counted but not described.
  const run = `axe.run(${JSON.stringify(part)}, { resultTypes: ['violations'] })`;
  const found = (await page.evaluate(run)) as AxeResults;
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
