import { expect, it } from 'vitest';
import { daemonInfo } from './daemon-surface.ts';
import { runtimeList } from './machines/runtimes.ts';

it.each(['drawbridge connect\u202e', 'drawbridge connect\nrm -r .', 'x'.repeat(5_001)])(
  'a command to reconnect that cannot be shown as it is is left out: %j',
  (hidden) => {
    const info = { version: '0.1.0', protocol: 1, features: [] };
    expect(daemonInfo.parse({ ...info, reconnect: hidden })).toEqual({ ...info, reconnect: undefined });
  },
);

it('RT-17 of a list with a coding agent that cannot be shown, the others are', () => {
  const shown = {
    title: 'X',
    isFound: true,
    isEnabled: true,
    version: null,
    isSignedIn: null,
    missing: null,
  };
  const of = (id: string, fix: string | null = null) => ({ ...shown, id, fix });
  const runtimes = [of('of_tomorrow'), of('../x'), of('codex'), of('gemini', 'rm \u202e'), 7];
  expect(runtimeList.parse({ runtimes }).runtimes).toEqual([of('of_tomorrow'), of('codex')]);
});
