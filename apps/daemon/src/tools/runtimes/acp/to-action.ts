import { z } from 'zod';
import type { ActionRequest } from '../driver.ts';
import type { ToolCall } from './frames.ts';

const named = z.object({ command: z.union([z.string(), z.array(z.string())]), cwd: z.string().optional() });

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The command of a tool call, where its input says it. */
export const commandOf = ({ rawInput }: Pick<ToolCall, 'rawInput'>) => {
  const given = named.safeParse(rawInput).data;
  if (given === undefined) return undefined;
  const { command, cwd } = given;
  const text = typeof command === 'string' ? command : command.map(quote).join(' ');
  return { command: text, ...(cwd !== undefined && { cwd }) };
};

const changes = new Set(['edit', 'delete', 'move']);

/**
 * What a permission request is about. `whole`: the request with what earlier frames said of its tool call.
 * Undefined for what is always refused: a change of mode, and a change of files without its content.
 */
export const toActionRequest = (whole: ToolCall): ActionRequest | undefined => {
  const { kind, title, content, locations, rawInput } = whole;
  const name = title ?? kind ?? 'a tool';
  if (kind === 'switch_mode') return undefined;
  if (kind === 'execute') return { kind: 'command', ...(commandOf(whole) ?? { command: name }) };
  const diffs = (content ?? []).filter(({ type }) => type === 'diff');
  if (diffs.length > 0 || changes.has(kind ?? '')) {
    const edits = diffs.flatMap(({ path, oldText = null, newText }) =>
      path === undefined || newText === undefined ? [] : [{ path, before: oldText, after: newText }],
    );
    return edits.length === 0 || edits.length < diffs.length ? undefined : { kind: 'edit', edits };
  }
  const paths = (locations ?? []).map(({ path }) => path);
  if (kind === 'read' && paths.length > 0) return { kind: 'read', paths };
  return { kind: 'other', name, input: rawInput ?? null };
};
