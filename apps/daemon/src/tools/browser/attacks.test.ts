import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { shared } from '../../../test/support/clean-up.ts';
import { openBrowserTools, openSite, redirect } from '../../../test/support/browser-fixture.ts';

const good = 'good.example';
const evil = 'evil.example';

/** Each page tries to make the browser ask `evil` for something; `good` is allowed, `evil` is not. */
const attempts: [string, (url: (name: string, path?: string) => string) => string][] = [
  ['a redirect', () => '<script>location.href = "/redirect"</script>'],
  ['meta refresh', (url) => `<meta http-equiv="refresh" content="0; url=${url(evil)}">`],
  ['window.location', (url) => `<script>location.href = "${url(evil)}"</script>`],
  ['an iframe', (url) => `<iframe src="${url(evil)}"></iframe>`],
  ['window.open', (url) => `<script>window.open("${url(evil)}")</script>`],
  ['fetch', (url) => `<script>fetch("${url(evil)}", { mode: "no-cors" })</script>`],
  ['a beacon', (url) => `<script>navigator.sendBeacon("${url(evil)}", "x")</script>`],
  [
    'a form',
    (url) => `<form method=post action="${url(evil)}"></form><script>document.forms[0].submit()</script>`,
  ],
  ['an image', (url) => `<img src="${url(evil, '/i.png')}">`],
  ['a style sheet', (url) => `<link rel=stylesheet href="${url(evil, '/s.css')}">`],
  ['prefetch', (url) => `<link rel=prefetch href="${url(evil)}">`],
  [
    'preconnect',
    (url) => `<link rel=preconnect href="${url(evil)}"><link rel=dns-prefetch href="${url(evil)}">`,
  ],
  [
    'speculation rules',
    (url) =>
      `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${url(evil)}"]}]}</script>`,
  ],
  [
    'a download',
    (url) => `<a download href="${url(evil, '/f')}">x</a><script>document.links[0].click()</script>`,
  ],
  ['a WebSocket', (url) => `<script>new WebSocket("${url(evil).replace('http', 'ws')}")</script>`],
  ['an event source', (url) => `<script>new EventSource("${url(evil)}")</script>`],
  [
    'a worker',
    (url) =>
      `<script>new Worker(URL.createObjectURL(new Blob(['fetch("${url(evil)}", { mode: "no-cors" })'])))</script>`,
  ],
  [
    'a shared worker',
    (url) =>
      `<script>new SharedWorker(URL.createObjectURL(new Blob(['fetch("${url(evil)}", { mode: "no-cors" })'])))</script>`,
  ],
  ['a service worker', () => `<script>navigator.serviceWorker?.register("/worker.js")</script>`],
];

describeWith('chromium')('BR-02, BR-05, SS-04, SS-08: what pages reach', () => {
  const world = shared(async () => {
    const site = await openSite((port) => {
      const url = (name: string, path = '/') => `http://${name}:${port}${path}`;
      return {
        '/redirect': redirect(url(evil)),
        '/worker.js': (_request, response) => {
          response.setHeader('content-type', 'text/javascript');
          response.end(`fetch("${url(evil)}", { mode: "no-cors" })`);
        },
        ...Object.fromEntries(attempts.map(([, page], at) => [`/${at}`, page(url)])),
      };
    });
    return { site, ...(await openBrowserTools({ allow: [`${good}:${site.port}`] })) };
  });

  /** The ways of the pages above by which `evil` was reached; those that are awaited have longer for it. */
  const waysThatReach = async (awaited: string[] = []): Promise<string[]> => {
    const { site, go, call } = world();
    const reached: string[] = [];
    for (const [at, [way]] of attempts.entries()) {
      site.hits.length = 0;
      await go(site.url(good, `/${at}`));
      const isReached = () => site.hits.some((hit) => hit.startsWith(evil));
      // What a page begins after it was built.
      const waits = awaited.includes(way) ? 50 : 1;
      for (let wait = 0; wait < waits && !isReached(); wait++) await call('browser_wait_for', { time: 0.3 });
      expect(site.hits).toContain(`${good}/${at}`);
      if (isReached()) reached.push(way);
    }
    return reached;
  };

  it('nothing at a host that was not allowed', async () => {
    expect(await waysThatReach()).toEqual([]);
  }, 240_000);

  it('what they want where the person allowed it, but for what begins before or goes on after it', async () => {
    const never = ['preconnect', 'speculation rules', 'a shared worker', 'a service worker'];
    const expected = attempts.map(([way]) => way).filter((way) => !never.includes(way));
    const { site, settings } = world();
    await settings.addRules('allow', [{ toolGroup: 'browser', resource: `${evil}:${site.port}` }]);
    expect(await waysThatReach(expected)).toEqual(expected);
  }, 240_000);
});
