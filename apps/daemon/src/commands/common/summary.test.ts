import { expect, it } from 'vitest';
import type { ModeSources } from './mode-sources.ts';
import { summary } from './summary.ts';

const all = {
  filesystemRead: 'allow',
  filesystemWrite: 'ask',
  shell: 'ask',
  network: 'ask',
  computer: 'deny',
  browser: 'ask',
  mcp: 'ask',
  runtime: 'deny',
  system: 'ask',
} as const;

const sources: ModeSources = {
  filesystemRead: 'default',
  filesystemWrite: 'settings.json',
  shell: 'flag',
  network: 'default',
  computer: 'session',
  browser: 'default',
  mcp: 'default',
  runtime: 'default',
  system: 'default',
};
const show = (shell: 'ask' | 'deny', shellSandbox: boolean) =>
  summary({ url: 'http://a', folder: '/f', modes: { ...all, shell }, sources, shellSandbox }).split('\n');

it('says of each mode how long it lasts and what set it', () => {
  expect(show('ask', true).slice(4, 9)).toEqual([
    '  read files        allow  default',
    '  change files      ask    saved (settings.json)',
    '  run commands      ask    this session (flag)',
    '  commands online   ask    default',
    '  screen and input  deny   this session',
  ]);
});

it.each([
  ['ask', true, 'ask    this session (flag)'],
  ['ask', false, 'ask    this session (flag), without a sandbox: commands can do whatever you can do'],
  ['deny', false, 'deny   this session (flag)'],
] as const)('commands on %s with sandbox %s', (shell, shellSandbox, shown) => {
  const line = show(shell, shellSandbox).find((one) => one.includes('run commands'));
  expect(line).toBe(`  run commands      ${shown}`);
});
