import { z } from 'zod';
import type { ActionRequest } from '../driver.ts';
import { formTitles } from './to-form.ts';

const tools = {
  Bash: z.object({ command: z.string() }),
  Write: z.object({ file_path: z.string(), content: z.string() }),
  Edit: z.object({ file_path: z.string(), old_string: z.string(), new_string: z.string() }),
  Read: z.object({ file_path: z.string() }),
};

/** A change of its mode, and a change of files without a diff. */
const refused = new Set(['EnterPlanMode', 'EnterWorktree', 'ExitWorktree', 'NotebookEdit', 'MultiEdit']);

const kinds: Record<string, string> = { Bash: 'execute', Write: 'edit', Edit: 'edit', Read: 'read' };

/** How an action is listed. */
export const labelOf = (name: string, input: unknown): { kind: string; title: string } => {
  const form = formTitles.get(name);
  if (form !== undefined) return { kind: 'form', title: form };
  const given = z.object({ command: z.string().optional(), file_path: z.string().optional() });
  const { command, file_path: path } = given.safeParse(input).data ?? {};
  return { kind: kinds[name] ?? 'other', title: command ?? (path === undefined ? name : `${name} ${path}`) };
};

/** What a request is about; undefined for what is always refused. */
export const toActionRequest = (name: string, input: unknown): ActionRequest | undefined => {
  if (refused.has(name)) return undefined;
  switch (name) {
    case 'Bash': {
      const { data } = tools.Bash.safeParse(input);
      return data && { kind: 'command', command: data.command };
    }
    case 'Write': {
      const { data } = tools.Write.safeParse(input);
      return data && { kind: 'edit', edits: [{ path: data.file_path, before: null, after: data.content }] };
    }
    case 'Edit': {
      const { data } = tools.Edit.safeParse(input);
      if (data === undefined) return undefined;
      const { file_path: path, old_string: before, new_string: after } = data;
      return { kind: 'edit', edits: [{ path, before: before === '' ? null : before, after }] };
    }
    case 'Read': {
      const { data } = tools.Read.safeParse(input);
      return data && { kind: 'read', paths: [data.file_path] };
    }
    default:
      return { kind: 'other', name, input };
  }
};
