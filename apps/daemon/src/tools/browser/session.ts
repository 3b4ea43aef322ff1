import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { createTimer, sleep } from '@drawbridge/kit';
import type { Page } from 'playwright-core';
import { errors } from '../common/errors.ts';
import { textResult } from '../common/result.ts';
import type { RunContext } from '../common/tool.ts';
import { callMs, endMs, idleMs, progressEveryMs } from './limits.ts';
import { toResult } from './result.ts';
import type { Running, RunningNeeds } from './running.ts';

/** The browser as the tools see it: there when it is needed, and started again where it has ended. */
export const createBrowserSession = (needs: RunningNeeds) => {
  const { clock } = needs;
  let starting: Promise<Running> | undefined;
  let current: Running | undefined;
  const idleTimer = createTimer(clock);

  const runningNow = (): Running | undefined => (current?.isOpen() ? current : undefined);

  const close = async () => {
    idleTimer.cancel();
    const last = starting;
    starting = undefined;
    current = undefined;
    await last?.then((running) => running.close()).catch(() => undefined);
  };

  const running = async (): Promise<Running> => {
    if (starting && (current === undefined || current.isOpen())) return starting;
    // What an ended browser leaves behind.
    await close();
    // The browser's parts are loaded with the first call: most sessions start without one.
    const started = import('./running.ts').then(({ startBrowser }) => startBrowser(needs));
    starting = started.catch((cause: unknown) => {
      starting = undefined;
      throw errors.browserFailed({ cause });
    });
    current = await starting;
    return current;
  };

  const startIdleTimer = () => {
    idleTimer.start(idleMs, () => void close());
  };

  /** Runs until the work ends, the call is cancelled or its time is over; then its tab is closed. */
  const inTime = async <T>(work: Promise<T>, page: Page | undefined, context: RunContext): Promise<T> => {
    const { signal } = context;
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    const abort = () => end(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const stopClock = clock.after(callMs, () => end(errors.browserSlow()));
    try {
      signal.throwIfAborted();
      return await Promise.race([work, ended]);
    } catch (error) {
      await page?.close().catch(() => undefined);
      // Closing the page does not end a wait, and its result is not used.
      await Promise.race([work.catch(() => undefined), sleep(clock, endMs)]);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      stopClock();
    }
  };

  return {
    runningNow,
    /** The running browser; started where it does not run. Throws `browserFailed`. */
    running,
    /** A port of a process that a host names. */
    processPort: needs.processHosts.find,
    currentUrl: () => runningNow()?.current()?.url(),
    urls: () =>
      runningNow()
        ?.pages()
        .map((page) => page.url()) ?? [],
    close,
    call: async (name: string, args: Record<string, unknown>, context: RunContext) => {
      // Also while the browser starts: the server gives a call up that is silent for long.
      const stopProgress = clock.every(progressEveryMs, () =>
        context.progress({ message: 'The browser is working' }),
      );
      try {
        const browser = await running();
        idleTimer.cancel();
        if (name !== 'browser_handle_dialog') await browser.dismissDialogs();
        const work = browser.call(name, args, { resources: context.granted, caller: context.caller });
        const answer = await inTime(work, browser.current(), context);
        return toResult(answer, browser.warnings());
      } finally {
        stopProgress();
        startIdleTimer();
      }
    },
  };
};

export type BrowserSession = ReturnType<typeof createBrowserSession>;

export const closedResult = (): ToolResult => textResult('The browser is closed');
