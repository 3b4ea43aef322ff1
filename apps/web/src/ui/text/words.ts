import type { CallState, CallSummary, CallVia, Door } from '@drawbridge/contracts/calls';
import type { Mode } from '@drawbridge/contracts/groups';
import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type { TokenScope } from '@drawbridge/contracts/tokens';

interface Words {
  label: string;
  icon: string;
}

const groups: Record<string, Words> = {
  filesystemRead: { label: 'Read files', icon: 'i-lucide-file-text' },
  filesystemWrite: { label: 'Change files', icon: 'i-lucide-file-pen' },
  filesystem: { label: 'Files', icon: 'i-lucide-folder' },
  shell: { label: 'Run commands', icon: 'i-lucide-square-terminal' },
  network: { label: 'Network of commands', icon: 'i-lucide-network' },
  computer: { label: 'Screen and input', icon: 'i-lucide-monitor' },
  screenshot: { label: 'Screenshots', icon: 'i-lucide-monitor' },
  'mouse-keyboard': { label: 'Mouse and keyboard', icon: 'i-lucide-mouse-pointer-2' },
  browser: { label: 'Browser', icon: 'i-lucide-globe' },
  mcp: { label: 'MCP servers', icon: 'i-lucide-plug' },
  runtime: { label: 'Coding agents', icon: 'i-lucide-square-terminal' },
  system: { label: 'Activate tools', icon: 'i-lucide-settings-2' },
  chat: { label: 'Chat', icon: 'i-lucide-message-circle' },
  agent: { label: 'Agent sessions', icon: 'i-lucide-bot' },
  memory: { label: 'Memory', icon: 'i-lucide-brain' },
  node: { label: 'Companion', icon: 'i-lucide-laptop' },
  operate: { label: 'Server operation', icon: 'i-lucide-settings-2' },
};

export const channelNames: Record<ChannelKind, string> = {
  telegram: 'Telegram',
  bluebubbles: 'iMessage (BlueBubbles)',
  'google-chat': 'Google Chat',
  teams: 'Microsoft Teams',
  gmail: 'Gmail',
};

/** The label of a group of tools or of another permission; an unknown group is labelled with its name. */
export const groupWords = (name: string): Words => groups[name] ?? { label: name, icon: 'i-lucide-wrench' };

interface StateWords extends Words {
  color: 'success' | 'warning' | 'error' | 'neutral' | 'primary';
}

export const callStateWords: Record<CallState, StateWords> = {
  pending: { label: 'Pending', icon: 'i-lucide-clock', color: 'neutral' },
  delivered: { label: 'Running', icon: 'i-lucide-loader', color: 'primary' },
  'awaiting-confirmation': { label: 'Waiting for you', icon: 'i-lucide-circle-help', color: 'warning' },
  succeeded: { label: 'Succeeded', icon: 'i-lucide-circle-check', color: 'success' },
  failed: { label: 'Failed', icon: 'i-lucide-circle-x', color: 'error' },
  denied: { label: 'Denied', icon: 'i-lucide-ban', color: 'neutral' },
  cancelled: { label: 'Cancelled', icon: 'i-lucide-circle-slash', color: 'neutral' },
  'timed-out': { label: 'Timed out', icon: 'i-lucide-timer-off', color: 'error' },
  lost: { label: 'Lost', icon: 'i-lucide-circle-help', color: 'error' },
};

const doorWords: Record<Door, string> = {
  trpc: 'Panel',
  'daemon-http': 'Machine',
  mcp: 'MCP client',
  rest: 'REST',
  jsonrpc: 'JSON-RPC client',
  agent: 'Chat',
};

/** Who made a call: the name of a token or client, or where the person made it. */
export const makerWords = ({ via, door }: Pick<CallSummary, 'via' | 'door'>): string =>
  via && via.kind !== 'thread' ? via.name : doorWords[via ? 'agent' : door];

/** The kind of credential that a call used; calls from the panel have none. */
export const viaWords: Record<CallVia['kind'], string> = {
  token: 'access token',
  client: 'connected client',
  thread: 'chat',
  tailnet: 'Tailscale user',
};

export const modeWords: Record<Mode, { label: string; about: string }> = {
  allow: { label: 'Allow', about: 'Runs without asking' },
  ask: { label: 'Ask', about: 'Asks you each time' },
  deny: { label: 'Off', about: 'Not available to agents' },
};

/** Why a button is inactive while the server does not respond. */
export const backWords = 'When the server is back';

/** What each permission allows. */
export const scopeTexts: Record<TokenScope, string> = {
  chat: 'Write to the built-in agent, which uses every tool that your machine allows, and read the chats that it has started. Questions are answered in the panel only.',
  agent:
    'Write to the built-in agent over JSON-RPC, in sessions of its own. The agent then uses only tools of the groups that you tick here.',
  memory:
    'The agent knows what it remembers of you also in chats and sessions of this token, which can read it there. Goes with Chat or Agent sessions.',
  node: 'Register as a companion over JSON-RPC and report its status.',
  operate: 'Read logs, services and settings of the server over JSON-RPC. Only the owner can create it.',
  filesystemRead: 'List, search and read files in the shared folder.',
  filesystemWrite: 'Create, change, move and delete files in the shared folder.',
  shell: 'Run commands on the machine.',
  computer: 'Take screenshots, control the mouse and type.',
  browser: 'Open web pages and interact with them.',
  mcp: 'Use the MCP servers configured on the machine.',
  runtime: 'Start coding agents that are set up on the machine. What they do is asked about.',
  system: 'Ask you to switch on more groups of tools.',
};

/** The items of a list of permissions to tick. */
export const scopeItems = <Scope extends TokenScope>(scopes: readonly Scope[]) =>
  scopes.map((value) => ({ value, label: groupWords(value).label, description: scopeTexts[value] }));
