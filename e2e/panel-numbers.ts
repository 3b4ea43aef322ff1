// Measures the panel in a real browser against a real server and machine, and writes bench/panel.md.
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import type { Page } from 'playwright-core';
import {
  copyCall,
  createProcesses,
  openPage,
  panelNumbersPath,
  run,
  startOwnBrowser,
  startMachine,
  until,
} from './harness/index.ts';
import { loadOf } from './first-load.ts';
import { measureChat } from './panel-chat-numbers.ts';

interface Row {
  measure: string;
  value: number;
  atMost: number;
  unit: string;
}

/** Collects the longest task and the sum of layout shifts from now on. */
const watchPage = (page: Page) =>
  page.evaluate(`
    window.longest = 0; window.shift = 0;
    window.watching?.forEach((one) => one.disconnect());
    window.watching = [['longtask', (one) => (window.longest = Math.max(window.longest, one.duration))],
      ['layout-shift', (one) => (window.shift += one.value)]].map(([type, take]) => {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(take));
      observer.observe({ type });
      return observer;
    });
  `);
const longestTask = (page: Page) => page.evaluate<number>('Math.round(window.longest)');

const pastCalls = 2_000;
const burst = 300;
const questions = 20;
const rounds = 5;

/** Of other programs: times are longer where it is above the number of processors. */
const [load = 0] = loadavg();
const processes = createProcesses();
const browser = await startOwnBrowser({ full: true });
const rows: Row[] = [];
const add = (measure: string, value: number, atMost: number, unit: string) =>
  rows.push({ measure, value, atMost, unit });

const addLoad = async (what: string, page: Page, url: string) => {
  const { files, script, css } = await loadOf(page, url);
  add(`first load of ${what}: files`, files, 20, '');
  add(`first load of ${what}: script, compressed`, script, 160, 'kB');
  add(`first load of ${what}: CSS, compressed`, css, 30, 'kB');
};

try {
  const { server, ann, daemon } = await startMachine(processes);
  writeFileSync(join(daemon.root, 'a.txt'), 'a\n');
  await run(ann, 'read_file', { filePath: 'a.txt' });
  await addLoad(
    'the page to sign in',
    await openPage(browser, { serviceWorkers: 'allow' }),
    `${server.url}/sign-in`,
  );
  await addLoad(
    'an empty inbox',
    await openPage(browser, { person: ann, serviceWorkers: 'allow' }),
    `${server.url}/inbox`,
  );
  copyCall(server.dataDir, pastCalls);
  const call = (number: number) => run(ann, 'write_file', { filePath: `${number}/x`, content: 'x\n' });
  await call(0);

  const requests: string[] = [];
  const page = await openPage(browser, { person: ann, serviceWorkers: 'allow' });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${server.url}/inbox`);
  await page.locator('[data-decision=allowOnce]').waitFor();
  const streamed = (all: readonly string[]) => all.filter((url) => url.includes('live.onEvent')).length;
  const second = await page.context().newPage();
  second.on('request', (request) => requests.push(request.url()));
  await second.goto(`${server.url}/activity?from=all`);
  await second.locator('[data-test=call]').first().waitFor();
  add('streams of two windows', streamed(requests), 1, '');
  await page.close();

  const shown = second.locator('[data-test=call]');
  let most = 0;
  await until(async () => {
    await second.evaluate('scrollTo(0, document.body.scrollHeight)');
    most = Math.max(most, await shown.count());
    return (await shown.filter({ hasText: `past-${pastCalls}.txt` }).count()) > 0;
  });
  add(`rows in the DOM with ${pastCalls} calls`, most, 500, '');

  await second.goto(`${server.url}/activity?from=all`);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await shown.nth(round).waitFor();
    times.push(
      await second.evaluate<number>(`new Promise((resolve) => {
        const began = performance.now();
        const seen = () => document.querySelector('[data-test=result], [data-test=confirmation]');
        const look = () => (seen() ? resolve(performance.now() - began) : requestAnimationFrame(look));
        document.querySelectorAll('[data-test=call]')[${round}].click();
        look();
      })`),
    );
    await second.goto(`${server.url}/activity?from=all`);
  }
  add('opening a call, middle of five', times.toSorted((a, b) => a - b)[2] ?? Number.NaN, 150, 'ms');

  await shown.first().waitFor();
  await watchPage(second);
  for (let done = 0; done < burst; done += 20)
    await Promise.all(Array.from({ length: 20 }, () => run(ann, 'read_file', { filePath: 'a.txt' })));
  await second.getByText(`${(pastCalls + 2 + burst).toLocaleString('en')} calls`).waitFor();
  add(`longest task while ${burst} calls come`, await longestTask(second), 100, 'ms');

  await second.goto(`${server.url}/inbox`);
  await second.locator('[data-decision=allowOnce]').waitFor();
  await watchPage(second);
  await Promise.all(Array.from({ length: questions }, (_, number) => call(number + 1)));
  await second
    .getByText(`${questions + 1} waiting`)
    .first()
    .waitFor();
  add(`longest task while ${questions} questions come at once`, await longestTask(second), 200, 'ms');
  add(
    `layout shift while ${questions} questions come at once`,
    await second.evaluate('window.shift'),
    0.1,
    '',
  );

  const title = second.locator('[data-test=confirmation] h1');
  const answering = systemClock.now();
  for (let answers = 0; answers < questions; answers += 1) {
    const before = await title.innerText();
    // A question takes no key before; a person reads longer.
    await second.waitForTimeout(320);
    await second.keyboard.press('d');
    await until(async () => (await title.innerText()) !== before);
  }
  add(`answering ${questions} questions by keys`, (systemClock.now() - answering) / 1_000, 10, 's');

  await second.setViewportSize({ width: 390, height: 844 });
  const heights = await second
    .locator('[data-test=confirmation] footer button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  add('44 px less the lowest button of a decision on a phone', 44 - Math.min(...heights), 0, 'px');

  const chat = await measureChat(browser);
  const [events, calls] = [chat.events, chat.calls].map((count) => count.toLocaleString('en'));
  add(`opening a chat of ${events} events and ${calls} calls, middle of five`, chat.openedMs, 1_000, 'ms');
  add('processor time of the page for it', chat.processorMs, 500, 'ms');
  add('longest task of it', chat.taskMs, 400, 'ms');
  add('memory of scripts with it open', chat.heapMb, 60, 'MB');

  const number = (value: number) => Number(value.toFixed(value < 1 ? 3 : 1)).toLocaleString('en');
  const table = rows.map(
    ({ measure, value, atMost, unit }) =>
      `| ${measure} | ${number(value)} ${unit} | <= ${atMost} ${unit} | ${value <= atMost ? 'yes' : 'no'} |`,
  );
  const text = [
    '# The panel in numbers',
    '',
    'Measured in Chromium, against a real server and a real machine on the same computer.',
    '`npx --yes pnpm@10 numbers` writes this page.',
    `When it began, the machine with ${availableParallelism()} processors had a load of ${load.toFixed(1)} by other programs.`,
    '',
    '| measure | value | goal | met |',
    '| --- | --- | --- | --- |',
    ...table.map((line) => line.replaceAll(/ +\|/g, ' |')),
    '',
    'Measured elsewhere: filters over 1,000,000 calls in [activity.md](activity.md); axe on every page and state in both themes',
    'and on a phone in `e2e/axe.long.ts`; commands and clicks of the first write in `e2e/first-write.long.ts`.',
    '',
  ].join('\n');
  writeFileSync(panelNumbersPath, text);
  console.log(text);
} finally {
  await browser.close();
  await processes.stopAll();
}
