import { expect, it } from 'vitest';
import { navItems } from './nav-items.ts';

it.each([
  [false, false, 'Machine Tools Agents Activity Settings'],
  [false, true, 'Machine Tools Agents Activity Settings'],
  [true, false, 'Chat Machine Tools Agents Activity Settings'],
  [true, true, 'Chat Machine Tools Activity Settings'],
])('chat %s, phone %s: %s', (hasChat, isPhone, labels) => {
  expect(
    navItems({ hasChat, isPhone })
      .map(({ label }) => label)
      .join(' '),
  ).toBe(labels);
});
