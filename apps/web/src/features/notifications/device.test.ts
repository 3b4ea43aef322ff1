import { afterEach, expect, it, vi } from 'vitest';
import { readDevice } from './device.ts';

const ready = { pushManager: { getSubscription: async () => ({ endpoint: 'https://push.example/one' }) } };
const withWorker = { serviceWorker: { getRegistration: async () => ready, ready: Promise.resolve(ready) } };

const browser = (given: { isSecure?: boolean; permission?: string; owner?: string; hasWorker?: boolean }) => {
  vi.stubGlobal('isSecureContext', given.isSecure ?? true);
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', { permission: given.permission ?? 'granted' });
  vi.stubGlobal('navigator', given.hasWorker === false ? {} : withWorker);
  vi.stubGlobal('localStorage', { getItem: () => given.owner ?? null });
};

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['insecure', { isSecure: false }],
  ['unsupported', { hasWorker: false }],
  ['blocked', { permission: 'denied' }],
  ['off', {}],
  ['off', { owner: 'ben' }],
  ['on', { owner: 'ann' }],
] as const)('a device is %s in a browser with %o', async (state, given) => {
  browser(given);
  expect(await readDevice('ann')).toBe(state);
});
