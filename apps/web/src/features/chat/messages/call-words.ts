import type { CallOutcome } from '@drawbridge/contracts/agent/events';
import type { ViewCall } from '@drawbridge/contracts/agent/threads';
import { runtimeTitle } from '@drawbridge/contracts/machines/runtimes';
import { cutText, mainLine, visible } from '@drawbridge/kit';
import { capital, duration } from '../../../ui/text/format.ts';
import { toolLabel } from '../../calls/call-verbs.ts';
import { commandFailureIn } from '../../calls/readable.ts';

interface Words {
  icon: string;
  /** `…` is replaced with the subject. */
  text: string;
}

/** A command with the verb before it, and both in words where the command stands below: "Run a command". */
export interface CommandWords {
  verb: string;
  command: string;
  short: string;
}

const tools: Record<string, Words> = {
  read_file: { icon: 'i-lucide-file-text', text: 'Read …' },
  list_files: { icon: 'i-lucide-folder', text: 'List …' },
  get_file_tree: { icon: 'i-lucide-folder-tree', text: 'List …' },
  search_files: { icon: 'i-lucide-search', text: 'Search files for …' },
  write_file: { icon: 'i-lucide-file-pen', text: 'Write …' },
  edit_file: { icon: 'i-lucide-file-pen', text: 'Change …' },
  create_directory: { icon: 'i-lucide-folder-plus', text: 'Create the folder …' },
  copy_file: { icon: 'i-lucide-copy', text: 'Copy …' },
  move: { icon: 'i-lucide-file-pen', text: 'Move …' },
  undo_change: { icon: 'i-lucide-undo-2', text: 'Undo a change' },
  delete: { icon: 'i-lucide-trash-2', text: 'Delete …' },
  shell_execute: { icon: 'i-lucide-square-terminal', text: 'Run …' },
  process_start: { icon: 'i-lucide-square-terminal', text: 'Start …' },
  process_read: { icon: 'i-lucide-square-terminal', text: 'Read the output of …' },
  process_write: { icon: 'i-lucide-square-terminal', text: 'Type into …' },
  process_stop: { icon: 'i-lucide-square-terminal', text: 'Stop …' },
  process_list: { icon: 'i-lucide-square-terminal', text: 'List processes' },
  'fetch-url': { icon: 'i-lucide-globe', text: 'Read …' },
  'web-search': { icon: 'i-lucide-search', text: 'Search the web for …' },
  runtime_turn: { icon: 'i-lucide-bot', text: 'Give the message to …' },
  runtime_action: { icon: 'i-lucide-wrench', text: '…' },
  plan: { icon: 'i-lucide-list-checks', text: 'Plan: …' },
  'update-tasks': { icon: 'i-lucide-list-checks', text: 'Update the task list' },
  delegate: { icon: 'i-lucide-bot', text: 'Start sub-agent: …' },
  'send-to-sub-agent': { icon: 'i-lucide-bot', text: 'Ask a sub-agent again: …' },
  'list-sub-agents': { icon: 'i-lucide-bot', text: 'List the sub-agents' },
  'summarize-sub-agent': { icon: 'i-lucide-bot', text: 'Look at a sub-agent' },
  'delete-sub-agent': { icon: 'i-lucide-bot', text: 'Delete a sub-agent' },
  'correct-background-task': { icon: 'i-lucide-bot', text: 'Redirect a background task' },
  'cancel-background-task': { icon: 'i-lucide-bot', text: 'Cancel a background task' },
  'ask-user': { icon: 'i-lucide-circle-help', text: 'Question for you' },
  remember: { icon: 'i-lucide-bookmark', text: 'Remember …' },
  send_file: { icon: 'i-lucide-paperclip', text: 'Send …' },
  'read-result': { icon: 'i-lucide-file-text', text: 'Read more of a result' },
  search_tools: { icon: 'i-lucide-wrench', text: 'Look for tools: …' },
  load_tool: { icon: 'i-lucide-wrench', text: 'Load tools' },
  'report-verification-verdict': { icon: 'i-lucide-clipboard-check', text: 'Report a check' },
  screen_screenshot: { icon: 'i-lucide-monitor', text: 'Take a screenshot' },
  browser_navigate: { icon: 'i-lucide-globe', text: 'Open …' },
};

/** The argument that says what a call is about, the first that is there. */
const subjects = [
  'command',
  'process',
  'filePath',
  'path',
  'dirPath',
  'source',
  'url',
  'query',
  'pattern',
  'title',
  'role',
  'text',
  'message',
  'runtime',
];
const maxSubjectLength = 120;

const subjectOf = ({ runtime, ...rest }: Record<string, unknown>): { name?: string; subject: string } => {
  const args = typeof runtime === 'string' ? { ...rest, runtime: runtimeTitle(runtime) } : rest;
  const name = subjects.find((one) => typeof args[one] === 'string' && args[one] !== '');
  if (name === undefined) return { subject: '' };
  const found = String(args[name]);
  if (found === '.') return { name, subject: 'the shared folder' };
  const line = name === 'command' ? mainLine(found).line : (found.split('\n', 1)[0] ?? '');
  const isCut = line.length > maxSubjectLength || line !== found;
  return { name, subject: isCut ? `${cutText(line, maxSubjectLength)}…` : line };
};

const wordsOfName = (name: string): Words => {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server !== undefined && tool !== undefined
    ? { icon: 'i-lucide-plug', text: `${server}: ${tool.replaceAll('_', ' ')} …` }
    : { icon: 'i-lucide-wrench', text: `${toolLabel(name)} …` };
};

/** A call in one line: an icon, and what it does to what. */
export const callWords = ({
  toolName,
  args,
}: Pick<ViewCall, 'toolName' | 'args'>): Words & { code?: CommandWords } => {
  const words = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  const { icon, text } = words ?? wordsOfName(toolName);
  const { name, subject } = subjectOf(args);
  const line = { icon, text: visible(text.replace(subject ? '…' : /:? ?…/, () => subject).trim()) };
  if (name !== 'command') return line;
  const withSubject = (one: string) => visible(text.replace('…', one).trim());
  const [verb, short] = [withSubject(''), capital(withSubject('a command'))];
  return { ...line, code: { verb, command: visible(subject), short } };
};

const changing = ['write_file', 'edit_file', 'create_directory', 'copy_file', 'move', 'undo_change'];
/** The tool of ours that does what an action of a coding agent is, by its kind. */
const toolsOfActions: Readonly<Record<string, string>> = {
  ...{ read: 'read_file', edit: 'edit_file', execute: 'shell_execute', search: 'search_files' },
  ...{ delete: 'delete', move: 'move', fetch: 'fetch-url' },
};
const toolOf = ({ toolName, args }: Pick<ViewCall, 'toolName' | 'args'>): string =>
  (toolName === 'runtime_action' && toolsOfActions[String(args['kind'])]) || toolName;

/** The words for each kind of call, in singular and plural. */
const kinds: readonly { words: readonly [string, string]; isOf: (toolName: string) => boolean }[] = [
  { words: ['read', 'reads'], isOf: (name) => ['read_file', 'fetch-url', 'read-result'].includes(name) },
  { words: ['listing', 'listings'], isOf: (name) => ['list_files', 'get_file_tree'].includes(name) },
  { words: ['search', 'searches'], isOf: (name) => ['search_files', 'web-search'].includes(name) },
  { words: ['change', 'changes'], isOf: (name) => changing.includes(name) },
  { words: ['deletion', 'deletions'], isOf: (name) => name === 'delete' },
  { words: ['command', 'commands'], isOf: (name) => name === 'shell_execute' },
  { words: ['browser step', 'browser steps'], isOf: (name) => name.startsWith('browser_') },
  { words: ['task given', 'tasks given'], isOf: (name) => name === 'runtime_turn' },
  { words: ['other', 'others'], isOf: () => true },
];

/** "8 reads, 3 commands": what calls did, or would have done. */
export const kindWords = (calls: readonly Pick<ViewCall, 'toolName' | 'args'>[]): string => {
  const found = calls.map((call) => kinds.find(({ isOf }) => isOf(toolOf(call))));
  return kinds
    .map((kind) => ({ words: kind.words, count: found.filter((one) => one === kind).length }))
    .flatMap(({ words, count }) => (count === 0 ? [] : `${count} ${words[count === 1 ? 0 : 1]}`))
    .join(', ');
};

const failedOutcomes: readonly CallOutcome[] = ['failed', 'lost'];

/** The colour of an end that is not fine. */
export const toneOf = (outcome: CallOutcome): { tone?: string } =>
  failedOutcomes.includes(outcome) ? { tone: 'text-error' } : {};

export const outcomeLabels: Record<CallOutcome, string> = {
  ok: '',
  failed: 'failed',
  denied: 'denied',
  skipped: 'skipped',
  stopped: 'stopped',
  lost: 'may have run',
};

/** What follows the words of a line, behind a dot: a fact, or a state with its colour and its cause. */
export interface LinePart {
  text: string;
  tone?: string;
  cause?: string;
  /** When it began, in milliseconds since 1970: how long it lasts follows. */
  since?: number;
}

const maxCauseLength = 80;

/** Why something failed, in a few words: of a command its last error, else the first line; empty for data. */
export const causeOf = (result: string): string => {
  const first = result.trim().split('\n', 1)[0] ?? '';
  const found = commandFailureIn(result) ?? (/^[[{]/.test(first) ? '' : first);
  const line = found.replace(/^(\w*Error: )+/, '').replace(/[.:]$/, '');
  return visible(line.length > maxCauseLength ? `${cutText(line, maxCauseLength)}…` : line);
};

/** How a call ended, and how long it took; or that it runs, and how long already. */
export const callParts = ({ toolName, outcome, result, startedAt, endedAt }: ViewCall): LinePart[] => {
  if (outcome === null) return [{ text: 'running', since: startedAt }];
  const cause = outcome === 'failed' ? causeOf(result ?? '') : '';
  // The call of a plan ends with its approval.
  const isTimed = endedAt !== null && toolName !== 'plan';
  return [
    { text: outcomeLabels[outcome], ...toneOf(outcome), ...(cause !== '' && { cause }) },
    { text: isTimed ? duration(endedAt - startedAt) : '' },
  ].filter(({ text }) => text !== '');
};
