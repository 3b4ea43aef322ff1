import { z } from 'zod';
import type { ActionRequest } from '../driver.ts';
import type { ToolRequest } from './frames.ts';

/** The only ones that it starts with. */
export const toolNames = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'];

const path = z.string();
const part = z.object({ oldText: z.string(), newText: z.string() });
const command = z.object({ command: z.string() });
const writing = z.object({ path, content: z.string() });
const editing = z.object({ path, edits: z.array(part).min(1) });
const reading = z.object({ path: path.default('.') });

const kinds: Record<string, string> = { bash: 'execute', write: 'edit', edit: 'edit', read: 'read' };

/** How an action is listed. */
export const labelOf = (name: string, input: unknown): { kind: string; title: string } => {
  const given = z.object({ command: z.string().optional(), path: path.optional() }).safeParse(input).data;
  const title = given?.command ?? (given?.path === undefined ? name : `${name} ${given.path}`);
  return { kind: kinds[name] ?? 'other', title };
};

/** What its gate asks about; undefined for what is always refused. */
export const toActionRequest = ({ toolName, input }: ToolRequest): ActionRequest | undefined => {
  switch (toolName) {
    case 'bash': {
      const { data } = command.safeParse(input);
      return data && { kind: 'command', command: data.command };
    }
    case 'write': {
      const { data } = writing.safeParse(input);
      return data && { kind: 'edit', edits: [{ path: data.path, before: null, after: data.content }] };
    }
    case 'edit': {
      const { data } = editing.safeParse(input);
      if (data === undefined) return undefined;
      const [{ oldText, newText } = { oldText: '', newText: '' }, ...more] = data.edits;
      if (data.edits.some((one) => one.oldText === '')) return undefined;
      const parts = more.map((one) => ({ before: one.oldText, after: one.newText }));
      const first = { path: data.path, before: oldText, after: newText };
      return { kind: 'edit', edits: [{ ...first, ...(parts.length > 0 && { parts }) }] };
    }
    case 'read':
    case 'grep':
    case 'find':
    case 'ls': {
      const { data } = reading.safeParse(input);
      return data && { kind: 'read', paths: [data.path] };
    }
    default:
      return { kind: 'other', name: toolName, input };
  }
};
