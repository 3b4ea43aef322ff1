export const navItems = [
  { to: '/', label: 'Machine', icon: 'i-lucide-laptop' },
  { to: '/tools', label: 'Tools', icon: 'i-lucide-wrench' },
  { to: '/agents', label: 'Agents', icon: 'i-lucide-bot' },
  { to: '/activity', label: 'Activity', icon: 'i-lucide-list' },
  { to: '/settings', label: 'Settings', icon: 'i-lucide-settings' },
] as const;

/** Whether an address belongs to a navigation item. */
export const isCurrent = (item: string, path: string): boolean =>
  item === '/' ? path === '/' : path === item || path.startsWith(`${item}/`);
