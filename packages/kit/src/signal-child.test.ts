import { expect, it, vi } from 'vitest';
import { signalChild } from './signal-child.ts';

it('signals a program, and nothing where it did not start', () => {
  const kill = vi.fn(() => true);
  expect(signalChild({ kill }, 'SIGKILL')).toBe(false);
  expect(kill).not.toHaveBeenCalled();
  expect(signalChild({ pid: 7, kill }, 'SIGTERM')).toBe(true);
  expect(kill).toHaveBeenCalledExactlyOnceWith('SIGTERM');
});
