import { expect, it } from 'vitest';
import { barItems, isCurrent, navItems } from './nav-items.ts';

it.each([
  ['sidebar with chat', navItems(true), 'Inbox Chat Activity Machines Agents'],
  ['sidebar without', navItems(false), 'Inbox Activity Machines Agents'],
  ['phone with chat', barItems(true), 'Inbox Chat Activity Machines More'],
  ['phone without', barItems(false), 'Inbox Activity Machines Agents More'],
])('%s', (_, items, labels) => {
  expect(items.map(({ label }) => label).join(' ')).toBe(labels);
});

it.each([
  ['/inbox/c1', 'Inbox'],
  ['/machines/m1/tools', 'Machines'],
  ['/agents', 'More'],
  ['/settings/account', 'More'],
  ['/more', 'More'],
])('%s belongs to %s of a phone with chat', (path, label) => {
  const items = barItems(true);
  expect(items.filter((item) => isCurrent(item, path, items)).map((item) => item.label)).toEqual([label]);
});
