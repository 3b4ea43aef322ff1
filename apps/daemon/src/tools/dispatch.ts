import {
  confirmationArgument,
  confirmationText,
  type ProgressBody,
  type ToolRequest,
  type ToolResult,
} from '@drawbridge/contracts';
import { CodedError, type Clock } from '@drawbridge/kit';
import type { z } from 'zod';
import { visible, type Gate, type Outcome } from '../permission/index.ts';
import type { ToolEntry } from './entry.ts';
import { errors } from './errors.ts';
import { createInTurn } from './in-turn.ts';
import { createQueue } from './queue.ts';
import { errorResult } from './result.ts';
import type { DaemonTool, Resource, ToolContext } from './tool.ts';

export interface DispatchContext {
  signal: AbortSignal;
  progress(update: ProgressBody): void;
  /** Awaited before anything is changed; what it throws is the call's result. `paths`: files that may be left half-written. */
  starting(paths: string[]): Promise<void>;
  /** Awaited before a large result is read; rejects with the signal's reason. */
  large(): Promise<void>;
}

/** Runs one call from the server's request to its result. It never rejects: whatever goes wrong is a result with `isError`. */
export type Dispatch = (request: ToolRequest, context: DispatchContext) => Promise<ToolResult>;

export interface DispatchNeeds {
  /** The tool of that name where it is offered at all. */
  find(name: string): ToolEntry | undefined;
  gate: Gate;
  /** The real path of the folder that the person opened. */
  root: string;
  /** The real path of the daemon's own folder (`settings.folder`). */
  privateFolder: string;
  clock: Clock;
}

const cancelled = (started: boolean): ToolResult => ({
  ...errorResult('The call was cancelled'),
  _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': started },
});

/** Only the gate asks: what a tool gives is never read as a question, whatever it looks like. */
const notAQuestion = (result: ToolResult): ToolResult => {
  const [first] = result.content;
  const looksLikeOne =
    result.isError === true && first?.type === 'text' && confirmationText.safeDecode(first.text).success;
  if (!looksLikeOne) return result;
  return { ...result, content: [{ type: 'text', text: 'The tool failed with:' }, ...result.content] };
};

const notStarted = { 'drawbridge/started': false };

/** What the disk said, in a sentence that names no path beyond what the caller gave. */
const diskSentences: Record<string, string> = {
  ENOENT: 'There is nothing at this path',
  EACCES: 'The system does not permit this',
  EPERM: 'The system does not permit this',
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  EROFS: 'The disk is read-only',
  ENOTEMPTY: 'The folder is not empty',
  EXDEV: 'Source and destination are on different disks',
  EMFILE: 'Too many files are open',
  ENAMETOOLONG: 'The name is too long',
  EISDIR: 'This is a folder',
  ENOTDIR: 'A part of the path is not a folder',
};

const sentence = (error: unknown): string => {
  if (error instanceof CodedError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return diskSentences[code] ?? `The tool failed${code === '' ? '' : ` (${code})`}`;
};

/** What a call that ends in the middle may leave something beside. */
const writtenPaths = (granted: readonly Resource[]): string[] =>
  granted.flatMap(({ toolGroup, resource }) => (toolGroup === 'filesystemWrite' ? [resource] : []));

const argumentIssues = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`).join('; ');

export const createDispatch = ({ find, gate, root, privateFolder, clock }: DispatchNeeds): Dispatch => {
  const running = new Map<string, Promise<ToolResult>>();
  const inTurn = createInTurn();
  const queue = createQueue(clock);

  const parse = (tool: DaemonTool, args: Record<string, unknown>): unknown => {
    const parsed = tool.input.safeParse(args);
    if (!parsed.success) throw errors.badArguments({ message: visible(argumentIssues(parsed.error)) });
    return parsed.data;
  };

  const execute = async (
    tool: DaemonTool,
    outcome: Extract<Outcome, { kind: 'run' }>,
    context: DispatchContext & ToolContext & { requestId: string; timeoutMs?: number; input: unknown },
  ) => {
    const { input } = context;
    const changed = tool.effect === 'reads' ? [] : outcome.granted.map(({ resource }) => resource);
    return inTurn(changed, async () => {
      if (context.signal.aborted) return cancelled(false);
      if (tool.effect !== 'reads') await context.starting(writtenPaths(outcome.granted));
      if (context.signal.aborted) return cancelled(false);
      try {
        const reading = await gate.reader();
        const { deniedPaths } = gate;
        const running = { ...context, reading, deniedPaths, granted: outcome.granted };
        return notAQuestion(await tool.run(input, running));
      } catch (error) {
        return context.signal.aborted ? cancelled(true) : errorResult(sentence(error));
      }
    });
  };

  const attempt = async (
    request: ToolRequest,
    { entry, ...given }: DispatchContext & { entry: ToolEntry },
  ): Promise<ToolResult> => {
    const { signal } = given;
    const tool = await entry.load();
    const { [confirmationArgument]: confirmation, ...args } = request.toolCall.arguments;
    const input = parse(tool, args);
    const context = { ...given, root, privateFolder, clock, reading: await gate.reader() };
    const outcome = await gate.check(
      {
        requestId: request.requestId,
        tool: tool.name,
        group: tool.group,
        arguments: args,
        look: () => tool.resources(input, context),
        preview: async () => tool.preview?.(input, context),
      },
      { confirmation, askId: request.askId, reach: request.reach, signal },
    );
    // Whoever took the call back is not to be asked about it.
    if (signal.aborted) return cancelled(false);
    switch (outcome.kind) {
      case 'run':
        return execute(tool, outcome, {
          ...context,
          // What an answer allows is what was kept when it was asked.
          input: outcome.arguments === args ? input : parse(tool, outcome.arguments),
          requestId: request.requestId,
          ...(request.timeoutMs !== undefined && { timeoutMs: request.timeoutMs }),
        });
      case 'ask':
        return { ...errorResult(confirmationText.encode(outcome.question)), _meta: notStarted };
      case 'denied':
        return { ...errorResult(outcome.reason), _meta: { ...notStarted, 'drawbridge/outcome': 'denied' } };
      default:
        return outcome satisfies never;
    }
  };

  const settle = async (request: ToolRequest, context: DispatchContext): Promise<ToolResult> => {
    try {
      if (context.signal.aborted) return cancelled(false);
      const entry = find(request.toolCall.name);
      if (!entry) throw errors.unknownTool();
      return await queue.run({ ...context, group: entry.group }, (outside) =>
        attempt(request, { ...context, large: () => outside(context.large), entry }),
      );
    } catch (error) {
      return context.signal.aborted
        ? cancelled(false)
        : { ...errorResult(sentence(error)), _meta: notStarted };
    }
  };

  return (request, context) => {
    const same = running.get(request.requestId);
    // A repeat of a request that is under way is that request.
    if (same) return same;
    const result = settle(request, context).finally(() => running.delete(request.requestId));
    running.set(request.requestId, result);
    return result;
  };
};
