import { confirmationText, questionOf } from '@drawbridge/contracts/confirmation-text';
import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import { invalidInput } from '@drawbridge/contracts/input/invalid-input';
import { confirmationArgument } from '@drawbridge/contracts/tool-call';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import {
  CodedError,
  createKeyedQueue,
  createLimiter,
  visible,
  type Clock,
  type KeyedQueue,
  type Limiter,
  createTransientMap,
} from '@drawbridge/kit';
import type { Keeper } from '../kept/index.ts';
import type { Gate, Rule } from '../permission/index.ts';
import { withAllowance } from './allowed.ts';
import type { LazyTool } from './common/lazy-tool.ts';
import { cancelledResult, type Dispatch, type DispatchContext } from './common/dispatch.ts';
import { errors } from './common/errors.ts';
import { createInputHold, isInput, type InputHold } from './input-hold.ts';
import { createQueue, type Outside, type Queue } from './queue.ts';
import { errorResult } from './common/result.ts';
import { changesSomething, type DaemonTool, type Resource, type RunContext } from './common/tool.ts';

export interface DispatchNeeds {
  find(name: string): LazyTool | undefined;
  gate: Pick<Gate, 'check' | 'reader' | 'deniedPaths' | 'openQuestions'>;
  root: string;
  privateFolder: string;
  closedFolders?(): readonly string[];
  clock: Clock;
  /** Keeps what file tools are about to change; nothing is kept without it. */
  keeper?: Keeper;
}

/** Only the gate asks: a tool's result is never read as a question, whatever it looks like. */
const notAQuestion = (result: ToolResult): ToolResult => {
  if (questionOf(result) === undefined) return result;
  return { ...result, content: [{ type: 'text', text: 'The tool failed with:' }, ...result.content] };
};

/** Large results that are being made, or wait for the server. */
const maxLargeResults = 2;

const notStarted = { 'drawbridge/started': false };

/** What the disk said, in a sentence that names no path beyond what the caller gave. */
const diskSentences: Record<string, string> = {
  ENOENT: 'Nothing exists at this path',
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

const parse = (tool: DaemonTool, args: Record<string, unknown>): unknown => {
  const parsed = tool.input.safeParse(args);
  if (!parsed.success)
    throw errors.badArguments({ message: visible(invalidInput(parsed.error, 'arguments')) });
  return parsed.data;
};

interface Shared extends DispatchNeeds {
  queue: Queue;
  /** Calls that change the same resource run one after the other. */
  inTurn: KeyedQueue;
  largeResults: Limiter;
  inputHold: InputHold;
}

interface Attempt extends DispatchContext, Pick<RunContext, 'large'> {
  entry: LazyTool;
  outside: Outside;
}

type Execution = DispatchContext &
  Omit<RunContext, 'deniedPaths'> & {
    requestId: string;
    input: unknown;
    allowedBy: readonly Rule[] | undefined;
  };

/** Runs a file tool, and keeps what it changes. What cannot be kept is changed all the same. */
const runKept = async (
  { keeper, root }: Shared,
  { category, effect, name, run }: DaemonTool,
  { input, ...context }: RunContext & Pick<Execution, 'requestId' | 'input'>,
): Promise<ToolResult> => {
  const isKept = keeper !== undefined && category === 'filesystem' && changesSomething({ effect });
  if (!isKept) return run(input, context);
  const { requestId, granted, caller, signal } = context;
  const changing = {
    requestId,
    tool: name,
    root,
    caller: caller?.id ?? '',
    resources: writtenPaths(granted),
  };
  const changed = await keeper.keep(changing, signal).catch(() => null);
  try {
    return await run(input, context);
  } finally {
    await changed?.().catch(() => {});
  }
};

/** The result of a call that failed or was stopped: where rules let it run, it says so. */
const byRule = (rules: readonly Rule[] | undefined, result: ToolResult): ToolResult => {
  if (rules === undefined || rules.length === 0) return result;
  return { ...result, _meta: { ...result._meta, 'drawbridge/ruling': 'rule' } };
};

const execute = (shared: Shared, tool: DaemonTool, call: Execution): Promise<ToolResult> => {
  const { gate, inTurn } = shared;
  const { input, granted, signal, starting, allowedBy } = call;
  const changed = changesSomething(tool) ? granted.map(({ resource }) => resource) : [];
  return inTurn.run(changed, async () => {
    if (signal.aborted) return cancelledResult(false);
    if (changesSomething(tool)) await starting(writtenPaths(granted));
    if (signal.aborted) return cancelledResult(false);
    try {
      const deniedPaths = () => gate.deniedPaths(call.caller);
      const context = { ...call, reading: await gate.reader(call.caller), deniedPaths };
      const run = async () => notAQuestion(await runKept(shared, tool, context));
      if (allowedBy === undefined || (allowedBy.length === 0 && !changesSomething(tool))) return await run();
      return await withAllowance(tool, allowedBy, {
        preview: async () => tool.preview?.(input, context),
        run,
      });
    } catch (error) {
      return byRule(allowedBy, signal.aborted ? cancelledResult(true) : errorResult(sentence(error)));
    }
  });
};

const attempt = async (
  shared: Shared,
  request: ToolRequest,
  { entry, outside, ...call }: Attempt,
): Promise<ToolResult> => {
  const { gate, root, privateFolder, closedFolders, clock, inputHold } = shared;
  const { requestId, askId, reach, timeoutMs, caller } = request;
  const { signal, progress } = call;
  const tool = await entry.load();
  const { [confirmationArgument]: confirmation, ...args } = request.toolCall.arguments;
  const input = parse(tool, args);
  const territory = { root, privateFolder, ...(closedFolders && { closedFolders }) };
  const context = {
    ...call,
    ...territory,
    clock,
    reading: await gate.reader(caller),
    ...(caller && { caller }),
  };
  /** An agent must not answer a question: its mouse and its keys wait until no question is open. */
  const untilReleased = async () => {
    if (!isInput(tool)) return;
    while (inputHold.isHeld(requestId)) await outside(() => inputHold.released(requestId, signal));
  };
  await untilReleased();
  const outcome = await gate.check(
    {
      requestId,
      tool: tool.name,
      group: tool.group,
      ...(caller && { caller }),
      arguments: args,
      inspect: () => tool.resources(input, context),
      title: async (resources) => tool.asks(input, resources, context),
      preview: async () => tool.preview?.(input, context),
    },
    { confirmation, askId, reach, signal, progress },
  );
  // A caller that cancelled the call is not asked about it.
  if (signal.aborted) return cancelledResult(false);
  switch (outcome.kind) {
    case 'run': {
      await untilReleased();
      const run = () =>
        execute(shared, tool, {
          ...context,
          requestId,
          granted: outcome.granted,
          allowedBy: outcome.allowedBy,
          outside: (wait) => outside(wait, 'Waiting for the process'),
          // An answer allows the arguments that the question was about.
          input: outcome.arguments === args ? input : parse(tool, outcome.arguments),
          ...(timeoutMs !== undefined && { timeoutMs }),
        });
      return isInput(tool) ? inputHold.during(run) : run();
    }
    case 'ask':
      await inputHold.idle();
      return { ...errorResult(confirmationText.encode(outcome.question)), _meta: notStarted };
    case 'denied':
      if (outcome.byUser) tool.refused?.(input, context);
      return {
        ...errorResult(outcome.reason),
        _meta: {
          ...notStarted,
          'drawbridge/outcome': 'denied',
          ...(outcome.ruling && { 'drawbridge/ruling': outcome.ruling }),
        },
      };
    default:
      return outcome satisfies never;
  }
};

const settle = async (
  shared: Shared,
  request: ToolRequest,
  context: DispatchContext,
): Promise<ToolResult> => {
  const { signal, delivered } = context;
  const entry = shared.find(request.toolCall.name);
  const run = async (): Promise<ToolResult> => {
    if (signal.aborted) return cancelledResult(false);
    if (!entry) throw errors.unknownTool();
    return shared.queue.run({ ...context, lane: entry.lane ?? entry.group }, (outside) => {
      let admitted: Promise<void> | undefined;
      const admit = async () => {
        const release = await shared.largeResults.acquire(signal);
        void delivered.finally(release);
      };
      const large = () => (admitted ??= outside(admit));
      return attempt(shared, request, { ...context, large, outside, entry });
    });
  };
  const result = await run().catch((error: unknown) =>
    signal.aborted ? cancelledResult(false) : { ...errorResult(sentence(error)), _meta: notStarted },
  );
  entry?.answered?.(request.requestId, result, request.denialReason);
  return result;
};

export const createDispatch = (needs: DispatchNeeds): Dispatch => {
  const { clock, gate } = needs;
  const running = createTransientMap<string, Promise<ToolResult>>();
  const shared: Shared = {
    ...needs,
    queue: createQueue(clock),
    inTurn: createKeyedQueue(),
    largeResults: createLimiter(maxLargeResults),
    inputHold: createInputHold({ clock, openQuestions: gate.openQuestions }),
  };
  return (request, context) => {
    const same = running.get(request.requestId);
    // A repeat of a running request is that request.
    if (same) return same;
    const result = settle(shared, request, context).finally(() => running.delete(request.requestId));
    running.set(request.requestId, result);
    return result;
  };
};
