const chat = { to: '/chat', label: 'Chat', icon: 'i-lucide-message-square' };
const agents = { to: '/agents', label: 'Agents', icon: 'i-lucide-bot' };
const items = [
  { to: '/', label: 'Machine', icon: 'i-lucide-laptop' },
  { to: '/tools', label: 'Tools', icon: 'i-lucide-wrench' },
  agents,
  { to: '/activity', label: 'Activity', icon: 'i-lucide-list' },
  { to: '/settings', label: 'Settings', icon: 'i-lucide-settings' },
];

/** The navigation; a phone's bar has five places, and with the chat Agents is found in Settings. */
export const navItems = ({ hasChat, isPhone }: { hasChat: boolean; isPhone: boolean }) => {
  if (!hasChat) return items;
  return [chat, ...items.filter((item) => !isPhone || item !== agents)];
};

/** Whether an address belongs to a navigation item. */
export const isCurrent = (item: string, path: string): boolean =>
  item === '/' ? path === '/' : path === item || path.startsWith(`${item}/`);
