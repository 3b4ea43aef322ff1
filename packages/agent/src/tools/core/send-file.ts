import { exportedFileBytes, type ToolResult } from '@drawbridge/contracts/tool-result';
import { CodedError, fileNameOf } from '@drawbridge/kit';
import { z } from 'zod';
import { agentLimits } from '../../rows/limits.ts';
import { newFile } from '../../rows/new-rows.ts';
import { insert, type Write } from '../../rows/store.ts';
import { hookOf, personKey, unknownKey } from '../../rows/sender.ts';
import { approvalOf } from '../common/approval.ts';
import { coreTool, textResult, type ToolOutcome, type ToolUse } from '../common/tool.ts';
import { callMachine, exportTool, toOutcome } from '../outside/machine-tools.ts';

const input = z.object({
  from: z.enum(['machine', 'workspace', 'canvas']),
  path: z.string().min(1).max(4_096).describe('Path of the file; for the canvas the artifactId'),
  name: z.string().min(1).max(255).optional().describe('Its name for the person'),
});

type Use = ToolUse<z.output<typeof input>>;

/** A file that was read; `data` is base64. `writes`: what the person has allowed with it. */
interface ReadFile {
  type: 'file';
  data: string;
  mediaType: string;
  /** Its name where the model gave none. */
  name: string;
  writes: Write[];
}

const failed = (text: string) => textResult(text, 'failed');

const mediaType = z.string().regex(/^[a-z]+\/[a-z0-9.+-]{1,100}$/);

/** Null for a result without a file. */
const fileIn = ({ content }: ToolResult): Pick<ReadFile, 'data' | 'mediaType'> | null => {
  const block = content.find(({ type }) => type === 'resource');
  if (block?.type !== 'resource' || block.resource.blob === undefined) return null;
  const type = mediaType.safeParse(block.resource.mimeType).data ?? 'application/octet-stream';
  return { data: block.resource.blob, mediaType: type };
};

/** Who gets the file, as the question says it. */
const destinationOf = ({ run: { sender } }: Use): string =>
  sender === personKey || sender === unknownKey || hookOf(sender) !== null ? 'you' : sender;

const fromMachine = async (use: Use): Promise<ReadFile | ToolOutcome> => {
  const { ctx, thread, args } = use;
  const machine = await ctx.machine.view(thread.userId, thread.machineId, use.run.groups);
  if (!machine?.tools.some(({ isOwn, name }) => isOwn && name === exportTool))
    return failed('No machine gives out files here: it is missing, too old, or not allowed to this sender.');
  const gate = await approvalOf(use, {
    action: 'sendFile',
    grant: null,
    message: `Send a file of ${machine.name} to ${destinationOf(use)}?`,
    text: [args.path, ...(args.name === undefined ? [] : [`as ${fileNameOf(args.name)}`])].join('\n'),
    severity: 'warning',
  });
  if (gate.type !== 'approved') return gate.outcome;
  const made = await callMachine(use, { tool: exportTool, args: { filePath: args.path } });
  const isDone = made.kind === 'ended' && made.state === 'succeeded' && made.result?.isError !== true;
  const file = isDone && made.result ? fileIn(made.result) : null;
  return file ? { type: 'file', ...file, name: args.path, writes: gate.writes } : toOutcome(use, made);
};

const fromWorkspace = async (use: Use): Promise<ReadFile | ToolOutcome> => {
  const { ctx, thread, call, args, run, signal } = use;
  const { policy } = await ctx.config();
  if (ctx.workspace === undefined || run.groups !== null || policy.workspace === 'blocked')
    return failed('There is no workspace here.');
  const gate = await approvalOf(use, {
    action: 'workspace',
    grant: 'workspace',
    message: 'Send a file of the workspace of this chat?',
    text: args.path,
    severity: 'warning',
  });
  if (gate.type !== 'approved') return gate.outcome;
  const given = { callId: call.id, tool: exportTool, arguments: { filePath: args.path } };
  const result = await ctx.workspace.call({ userId: thread.userId, threadId: thread.id }, given, signal);
  const file = result.isError === true ? null : fileIn(result);
  if (file) return { type: 'file', ...file, name: args.path, writes: gate.writes };
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { ...failed(text), source: call.tool, writes: gate.writes };
};

const note = z.strictObject({ markdown: z.string() });

/** UTF-8 as base64, in parts that a call may have as arguments. */
const base64Of = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return btoa(parts.join(''));
};

const fromCanvas = async ({ ctx, thread, args }: Use): Promise<ReadFile | ToolOutcome> => {
  try {
    const { type, content } = await ctx.canvas.get(thread.userId, thread.id, args.path);
    const asNote = type === 'note' ? note.safeParse(content).data : undefined;
    const text = asNote?.markdown ?? JSON.stringify(content, null, 2);
    const name = `${args.path}.${asNote ? 'md' : 'json'}`;
    const shownType = asNote ? 'text/markdown' : 'application/json';
    return { type: 'file', data: base64Of(text), mediaType: shownType, name, writes: [] };
  } catch (error) {
    if (error instanceof CodedError) return failed(`${error.message}.`);
    throw error;
  }
};

const readers = { machine: fromMachine, workspace: fromWorkspace, canvas: fromCanvas };

/** What the run has sent before this call. */
const sentBefore = async ({ ctx, run: { userId, id: runId }, call }: Use) => {
  const where = { userId, runId, tool: call.tool, state: 'ended', outcome: 'ok' } as const;
  const calls = await ctx.store.find('agentToolCalls', where);
  const files = calls.flatMap(({ result }) =>
    (result ?? []).flatMap((part) => (part.type === 'file' ? [part.file] : [])),
  );
  return { count: files.length, bytes: files.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
};

export const sendFile = coreTool({
  name: 'send_file',
  description:
    'Sends the person a file, which they can save: of their machine, of the workspace, or a document of the canvas. In a chat app it comes as a file. 8 MiB at most.',
  // The machine knows by its id whether the call ran; reading again does nothing.
  effect: 'machine',
  action: 'sendFile',
  input,
  run: async (use): Promise<ToolOutcome> => {
    const { ctx, thread, args } = use;
    const before = await sentBefore(use);
    if (before.count >= agentLimits.sentFiles)
      return failed(`${agentLimits.sentFiles} files were sent in this run already: no more can be.`);
    const read = await readers[args.from](use);
    if (read.type !== 'file') return read;
    const file = newFile(ctx, thread, {
      name: fileNameOf(args.name ?? read.name),
      mediaType: read.mediaType,
      data: read.data,
    });
    const { id, name, mediaType: type, bytes } = file;
    if (bytes > exportedFileBytes || before.bytes + bytes > agentLimits.sentBytes)
      return failed('The file is too large: 8 MiB at most, and 10 MiB in one run.');
    return {
      type: 'result',
      outcome: 'ok',
      parts: [
        { type: 'text', text: `Sent to the person as ${name}, ${bytes} bytes.` },
        { type: 'file', file: { id, name, mediaType: type, bytes } },
      ],
      writes: [...read.writes, insert('agentFiles', file)],
    };
  },
});
