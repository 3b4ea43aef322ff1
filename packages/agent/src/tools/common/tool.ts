import type { AskAnswer, AskPayload, ResourceQuestion } from '@drawbridge/contracts/agent/asks';
import type { CallOutcome } from '@drawbridge/contracts/agent/events';
import type { AgentAction } from '@drawbridge/contracts/agent/settings';
import { invalidInput } from '@drawbridge/contracts/input/invalid-input';
import { CodedError, type BoundedMap } from '@drawbridge/kit';
import { z } from 'zod';
import type { Canvas } from '../../memory/canvas.ts';
import type { JsonSchema, ToolSpec } from '../../ports/model.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { OutsideError } from '../../ports/outside.ts';
import type { Work } from '../../rows/load.ts';
import type { AgentRow, Effect, ToolCallRow } from '../../rows/rows.ts';
import type { ResultPart } from '../../rows/parts.ts';
import type { Write } from '../../rows/store.ts';
import type { IsTaken } from './loose-names.ts';
import type { UnaskedFetches } from './unasked-fetches.ts';

/** Ends open agents with all that belongs to them, at most 1.5 s later. */
export type StopAgents = (agents: readonly AgentRow[], outcome: 'cancelled' | 'interrupted') => Promise<void>;

/** What tools use of what is around the agent. */
export interface ToolContext extends Pick<
  AgentNeeds,
  | 'store'
  | 'machine'
  | 'bus'
  | 'web'
  | 'search'
  | 'mcp'
  | 'domains'
  | 'workspace'
  | 'clock'
  | 'newId'
  | 'config'
  | 'onError'
> {
  canvas: Canvas;
  /** Whether the name of a machine's tool looks like one of the agent's. */
  isOwnName: IsTaken;
  /** What each run has fetched unasked, by its id. */
  unasked: BoundedMap<string, UnaskedFetches>;
  stopAgents: StopAgents;
}

/** What is done once the writes of a call are stored: an agent continues, or tasks of a plan start. */
export type ToolEffect =
  | { type: 'wake'; userId: string; agentId: string }
  | { type: 'tickPlan'; userId: string; planId: string };

/** One call of a tool, with the person's answer where the call has asked for one. */
export interface ToolUse<Args = Record<string, unknown>> extends Work {
  ctx: ToolContext;
  call: ToolCallRow;
  args: Args;
  answer: AskAnswer | null;
  signal: AbortSignal;
}

/** What the person is asked; the rest of the payload is the same for every question. */
export type NewAsk = Pick<AskPayload, 'inputType' | 'severity' | 'message'> &
  Partial<
    Pick<AskPayload, 'introMessage' | 'questions' | 'planItems' | 'domainAccess' | 'webSearch' | 'approval'>
  >;

export type ToolOutcome =
  | {
      type: 'result';
      outcome: CallOutcome;
      parts: ResultPart[];
      /** Text from outside, and where it came from: it is marked as data. */
      source?: string;
      /** Written together with the result. */
      writes?: Write[];
      effects?: ToolEffect[];
    }
  /** The call runs again with the answer. */
  | { type: 'ask'; ask: NewAsk }
  /** The machine asks the person. */
  | { type: 'confirm'; question: ResourceQuestion; message: string; expiresAt: number | null }
  /** Something else will end the call, such as a sub-agent. */
  | { type: 'wait'; writes: Write[]; effects: ToolEffect[] };

export interface AgentTool extends ToolSpec {
  effect: Effect;
  /** The policy of the owner that applies. */
  action?: AgentAction;
  /** Its name and description are of another program. */
  isOutside?: boolean;
  /** Whether it may run beside other reading tools. */
  isParallel: boolean;
  /** Not offered to the model now; a call of it is answered by the machine's record. */
  isHidden?: boolean;
  /** The arguments as the tool takes them, or what is wrong with them. */
  parse(args: unknown): { args: Record<string, unknown> } | { problem: string };
  run(use: ToolUse): Promise<ToolOutcome>;
}

/** A result of one text; what else belongs to it is spread beside it. */
export const textResult = (
  text: string,
  outcome: CallOutcome = 'ok',
): Extract<ToolOutcome, { type: 'result' }> => ({
  type: 'result',
  outcome,
  parts: [{ type: 'text', text }],
});

/** A failure of a tool is a text for the model; the run continues. */
export const failureOf = (
  ctx: Pick<AgentNeeds, 'onError'>,
  { tool: source }: Pick<ToolCallRow, 'tool'>,
  error: unknown,
): ToolOutcome => {
  if (error instanceof OutsideError) return { ...textResult(error.message, 'failed'), source };
  if (error instanceof CodedError)
    return textResult([error.message, error.fix].filter(Boolean).join('. '), 'failed');
  ctx.onError(error);
  return textResult('The tool failed with an unexpected error.', 'failed');
};

const record = z.record(z.string(), z.unknown());

/** The arguments of a tool whose schema is checked where it runs. */
export const anyObject = (args: unknown): ReturnType<AgentTool['parse']> => {
  const read = record.safeParse(args);
  return read.success ? { args: read.data } : { problem: 'The arguments are not a JSON object.' };
};

interface CoreTool<Schema extends z.ZodType<Record<string, unknown>>> {
  name: string;
  description: string;
  input: Schema;
  effect: Effect;
  action?: AgentAction;
  run(use: ToolUse<z.output<Schema>>): Promise<ToolOutcome>;
}

const made = new WeakMap<z.ZodType, JsonSchema>();

/** Made once of each schema: the tools of an agent are put together twice in a step. */
const jsonSchemaOf = (input: z.ZodType): JsonSchema => {
  // zod's own type of a schema is wider than a plain object.
  const schema = made.get(input) ?? (z.toJSONSchema(input, { target: 'draft-7', io: 'input' }) as JsonSchema);
  made.set(input, schema);
  return schema;
};

/** A tool of our own, with a zod schema that the model sees as JSON Schema draft 7. */
export const coreTool = <Schema extends z.ZodType<Record<string, unknown>>>(
  tool: CoreTool<Schema>,
): AgentTool => {
  const { name, description, input, effect, action } = tool;
  return {
    name,
    description,
    effect,
    ...(action !== undefined && { action }),
    isParallel: effect === 'read',
    inputSchema: jsonSchemaOf(input),
    parse: (args) => {
      const read = input.safeParse(args);
      return read.success ? { args: read.data } : { problem: invalidInput(read.error) };
    },
    // `parse` has made the arguments what the schema gives.
    run: (use) => tool.run(use as ToolUse<z.output<Schema>>),
  };
};
