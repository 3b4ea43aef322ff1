import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('follows the system where the browser keeps no data of the page', async () => {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
  const { applyAppearance, useAppearance } = await import('./appearance.ts');
  applyAppearance();
  expect(useAppearance().value).toBe('system');
  useAppearance().value = 'dark';
  await Promise.resolve();
  expect(document.documentElement.style.colorScheme).toBe('dark');
});
