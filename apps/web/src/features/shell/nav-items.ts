export interface NavItem {
  to: string;
  label: string;
  icon: string;
}

const inbox: NavItem = { to: '/inbox', label: 'Inbox', icon: 'i-lucide-inbox' };
const chat: NavItem = { to: '/chat', label: 'Chat', icon: 'i-lucide-message-square' };
const activity: NavItem = { to: '/activity', label: 'Activity', icon: 'i-lucide-list' };
const machines: NavItem = { to: '/machines', label: 'Machines', icon: 'i-lucide-laptop' };
const agents: NavItem = { to: '/agents', label: 'Agents', icon: 'i-lucide-bot' };
const more: NavItem = { to: '/more', label: 'More', icon: 'i-lucide-ellipsis' };

/** The sidebar. */
export const navItems = (hasChat: boolean): NavItem[] => [
  inbox,
  ...(hasChat ? [chat] : []),
  activity,
  machines,
  agents,
];

/** The bar of a phone, which has five places; with the chat, Agents is below More. */
export const barItems = (hasChat: boolean): NavItem[] => [
  inbox,
  ...(hasChat ? [chat] : []),
  activity,
  machines,
  ...(hasChat ? [] : [agents]),
  more,
];

const isBelow = (place: string, path: string) => path === place || path.startsWith(`${place}/`);

/** Whether an address belongs to an item. Without an item of its own, a place belongs to More. */
export const isCurrent = ({ to }: NavItem, path: string, items: readonly NavItem[]): boolean =>
  to === more.to ? !items.some((item) => item.to !== to && isBelow(item.to, path)) : isBelow(to, path);
