import type { BrowserContext, Dialog, Page } from 'playwright-core';
import { z } from 'zod';
import type { Downloads } from './downloads/downloads.ts';
import { pageHostOf } from '../common/network/host.ts';
import { maxConsoleMessages, maxTabs } from './limits.ts';

export interface TabsNeeds {
  context: BrowserContext;
  downloads: Downloads;
  notify(sentence: string): void;
}

/** The tools' own record of a tab, which hangs on its page. */
const tabRecord = z.custom<{ isCurrentTab(): boolean }>(
  (value) => typeof value === 'object' && value !== null && 'isCurrentTab' in value,
);

const isCurrent = (page: Page): boolean => {
  const key = Object.getOwnPropertySymbols(page).find((symbol) => symbol.description === 'tabSymbol');
  if (key === undefined) return false;
  return tabRecord.parse(Reflect.get(page, key)).isCurrentTab();
};

/** Watches the tabs of a browser and keeps what pages can do to it within limits. */
export const watchTabs = ({ context, downloads, notify }: TabsNeeds) => {
  const dialogs = new Set<Dialog>();

  const watch = (page: Page) => {
    if (context.pages().length > maxTabs) {
      notify(`A tab was closed: ${maxTabs} are open already.`);
      void page.close().catch(() => undefined);
      return;
    }
    let messages = 0;
    page.on('console', () => {
      messages += 1;
      if (messages !== maxConsoleMessages) return;
      notify(`A tab was closed: it wrote ${maxConsoleMessages} messages to its console.`);
      void page.close().catch(() => undefined);
    });
    page.on('download', downloads.add);
  };

  context.on('page', watch);
  context.on('dialog', (dialog) => {
    if (dialog.type() === 'beforeunload') void dialog.accept().catch(() => undefined);
    else dialogs.add(dialog);
  });
  for (const page of context.pages()) watch(page);

  return {
    all: () => context.pages(),
    /** The tab that the tools work on, as they see it themselves; undefined before the first. */
    current: () => {
      const pages = context.pages();
      // Before the first call nothing is marked; the tools will begin with the first tab.
      return pages.find(isCurrent) ?? pages[0];
    },
    hosts: () => context.pages().flatMap((page) => pageHostOf(page.url()) ?? []),
    /** Closes the questions that pages ask, with no. */
    dismissDialogs: async () => {
      const open = [...dialogs];
      dialogs.clear();
      await Promise.all(open.map((dialog) => dialog.dismiss().catch(() => undefined)));
    },
  };
};

export type Tabs = ReturnType<typeof watchTabs>;
