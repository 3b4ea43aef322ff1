import type { Page } from 'playwright-core';

/**
 * Shows another path of the panel in a page that shows it already, as a link does: nothing is loaded again.
 * Resolves once the router is there. `goto` is for what a load of the page has to show.
 */
export const follow = async (page: Page, path: string): Promise<void> => {
  // A text, because programs of Node alone, without types of a page, are checked with this file.
  const router = "document.querySelector('#app').__vue_app__.config.globalProperties.$router";
  await page.evaluate(`${router}.push(${JSON.stringify(path)}).then(() => undefined)`);
};
