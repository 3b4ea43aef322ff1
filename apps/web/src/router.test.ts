import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { nextTick } from 'vue';
import { setBench, type Bench } from '../test/mounting.ts';
import { worldOf } from '../test/worlds.ts';
import { createPanelRouter } from './router.ts';

let bench: Bench;
afterEach(() => bench?.close());

const signedOut = { user: null };
const fresh = { user: null, setupNeeded: true };
const signedIn = { user: worldOf().user };

it.each([
  ['signed in', signedIn, '/', '/inbox'],
  ['signed in', signedIn, '/activity/r1', '/activity/r1'],
  ['signed in', signedIn, '/sign-in', '/inbox'],
  ['signed in', signedIn, '/setup', '/inbox'],
  ['signed in', signedIn, '/confirmations/c1', '/inbox/c1'],
  ['signed in', signedIn, '/tools?tool=read_file', '/machines/m1/tools?tool=read_file'],
  ['without a machine', { ...signedIn, machines: [] }, '/tools', '/machines'],
  ['signed in', signedIn, '/settings', '/settings/account'],
  ['signed in', signedIn, '/settings/tokens', '/agents'],
  ['signed in', signedIn, '/settings/clients', '/agents'],
  ['signed out', signedOut, '/', '/sign-in'],
  ['signed out', signedOut, '/settings/account', '/sign-in?next=/settings/account'],
  ['signed out', signedOut, '/confirmations/c1', '/sign-in?next=/inbox/c1'],
  ['signed out', signedOut, '/setup', '/sign-in'],
  ['signed out', signedOut, '/invitation', '/invitation'],
  ['before set-up', fresh, '/', '/setup'],
  ['before set-up', fresh, '/invitation', '/setup'],
])('%s (%j), %s leads to %s', async (_who, world, from, to) => {
  bench = await setBench(world);
  const router = createPanelRouter(bench.app);
  await router.push(from);
  expect(router.currentRoute.value.fullPath).toBe(to);
});

it('says that the server does not answer, and remembers where to go', async () => {
  bench = await setBench();
  await bench.close();
  const router = createPanelRouter(bench.app);
  await router.push('/tools?tool=read_file');
  expect(router.currentRoute.value.fullPath).toBe('/unreachable?next=/tools?tool=read_file');
});

/** What `index.html` runs first. */
const beforePaint = readFileSync(join(import.meta.dirname, '../public/before-paint.js'), 'utf8');

it('until it is loaded, the frame is shown for the pages that have one, and rows in the inbox', async () => {
  bench = await setBench();
  const router = createPanelRouter(bench.app);
  const root = document.documentElement;
  const shellOf = (path: string) => {
    history.replaceState(null, '', path);
    delete root.dataset['shell'];
    runInThisContext(beforePaint);
    return root.dataset['shell'] ?? 'frame';
  };
  const paths = router
    .getRoutes()
    .filter(({ path, redirect }) => path !== '/' && !path.includes(':') && redirect === undefined)
    .map(({ path }) => path);
  const expected = (path: string) => (router.resolve(path).matched[0]?.path === '/' ? 'frame' : 'none');
  expect(Object.fromEntries(paths.map((path) => [path, shellOf(path)]))).toEqual(
    Object.fromEntries(paths.map((path) => [path, path === '/tools' ? 'frame' : expected(path)])),
  );
  expect(['/', '/inbox', '/inbox/c1'].map(shellOf)).toEqual(['inbox', 'inbox', 'inbox']);
});

it.each(['dark', 'light'] as const)(
  'until it is loaded, the colours are those that were chosen: %s',
  async (one) => {
    const { applyAppearance, useAppearance } = await import('./ui/window/appearance.ts');
    applyAppearance();
    // Other files of this worker begin with what is stored.
    onTestFinished(() => void (useAppearance().value = 'system'));
    useAppearance().value = one;
    await nextTick();
    document.documentElement.removeAttribute('style');
    runInThisContext(beforePaint);
    expect(document.documentElement.style.colorScheme).toBe(one);
  },
);
