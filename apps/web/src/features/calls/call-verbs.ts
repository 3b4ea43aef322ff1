import type { CallSummary } from '@drawbridge/contracts/calls';
import { capital } from '../../ui/text/format.ts';

interface Verb {
  /** What a call does, for one that did not run: "Read". */
  does: string;
  /** What it did: "Read", "Changed". */
  did: string;
}

const verbs: Record<string, Verb> = {
  read_file: { does: 'Read', did: 'Read' },
  export_file: { does: 'Give out', did: 'Gave out' },
  list_files: { does: 'List', did: 'Listed' },
  get_file_tree: { does: 'List', did: 'Listed' },
  search_files: { does: 'Search', did: 'Searched' },
  write_file: { does: 'Write', did: 'Wrote' },
  edit_file: { does: 'Change', did: 'Changed' },
  create_directory: { does: 'Create', did: 'Created' },
  copy_file: { does: 'Copy', did: 'Copied' },
  move: { does: 'Move', did: 'Moved' },
  undo_change: { does: 'Undo a change', did: 'Undid a change' },
  delete: { does: 'Delete', did: 'Deleted' },
  shell_execute: { does: 'Run', did: 'Ran' },
  process_start: { does: 'Start', did: 'Started' },
  process_read: { does: 'Read the process', did: 'Read the process' },
  process_write: { does: 'Type into the process', did: 'Typed into the process' },
  process_stop: { does: 'Stop the process', did: 'Stopped the process' },
  browser_navigate: { does: 'Open', did: 'Opened' },
  runtime_turn: { does: 'Give a task to', did: 'Gave a task to' },
  runtime_action: { does: 'Coding agent', did: 'Coding agent' },
  screen_screenshot: { does: 'Screenshot', did: 'Screenshot' },
};

/** Labels for names that people would not understand. */
const labels: Record<string, string> = {
  runtime_turn: 'Task of a coding agent',
  runtime_action: 'Action of a coding agent',
};

/** A tool's name in words: "Browser click". */
export const toolLabel = (tool: string): string =>
  (Object.hasOwn(labels, tool) ? labels[tool] : undefined) ?? capital(tool.replaceAll(/[_.-]+/g, ' ').trim());

/** What a call did, or would have done: "Changed", "Delete". */
export const callVerb = ({ tool, state }: Pick<CallSummary, 'tool' | 'state'>): string => {
  const verb = Object.hasOwn(verbs, tool) ? verbs[tool] : undefined;
  if (!verb) return toolLabel(tool);
  return state === 'succeeded' ? verb.did : verb.does;
};
