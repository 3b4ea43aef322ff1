import type { Page } from 'playwright-core';

/** What Vue keeps on the element of a mounted program. */
interface Mounted {
  __vue_app__: {
    config: { globalProperties: { $router: { push(path: string): Promise<unknown> } } };
  };
}

/**
 * Shows another path of the panel in a page that shows it already, as a link does: nothing is loaded again.
 * Resolves once the router is there. `goto` is for what a load of the page has to show.
 */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate(async (to) => {
    // The type of a page's element lacks it.
    const program = document.querySelector('#app') as unknown as Mounted;
    await program.__vue_app__.config.globalProperties.$router.push(to);
  }, path);
