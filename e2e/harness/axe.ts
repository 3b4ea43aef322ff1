import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { showTheme } from './browser.ts';

/** Another theme changes colours alone. */
const contrast = "runOnly: ['color-contrast']";

const faultsIn = async (page: Page, within: string, rules = ''): Promise<string[]> => {
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(within)}, { resultTypes: ['violations'], ${rules} })`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

/** What axe finds fault with in the page as it is shown, as `rule: element`. */
export const axeFaults = (page: Page): Promise<string[]> => faultsIn(page, 'html');

/** The same for the contrast of colours alone, in a part of the page. */
export const contrastFaults = (page: Page, within = 'html'): Promise<string[]> =>
  faultsIn(page, within, contrast);

/** The same in both themes; ends in the dark one. */
export const axeFaultsInThemes = async (page: Page): Promise<string[]> => {
  await showTheme(page, 'light');
  const light = await axeFaults(page);
  await showTheme(page, 'dark');
  const dark = await contrastFaults(page);
  return [...light, ...dark.map((fault) => `dark ${fault}`)];
};
