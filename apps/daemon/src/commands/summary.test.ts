import { expect, it } from 'vitest';
import { summary } from './summary.ts';

const all = {
  filesystemRead: 'allow',
  filesystemWrite: 'ask',
  shell: 'ask',
  computer: 'deny',
  browser: 'ask',
  mcp: 'ask',
  system: 'ask',
} as const;

it.each([
  ['ask', true, 'ask'],
  ['ask', false, 'ask, without a sandbox: commands can do whatever you can do'],
  ['deny', false, 'deny'],
] as const)('commands on %s with sandbox %s', (shell, shellSandbox, shown) => {
  const text = summary({ url: 'http://a', folder: '/f', modes: { ...all, shell }, shellSandbox });
  expect(text.split('\n').find((line) => line.includes('run commands'))).toBe(`  run commands      ${shown}`);
});
