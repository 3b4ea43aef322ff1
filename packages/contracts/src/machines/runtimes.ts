import { z } from 'zod';
import { question, questionAnswer } from '../agent/asks.ts';
import { chosenCallId, machineId, requestId } from '../ids.ts';

/** The tool that gives a task to a coding agent of the machine, and the one that its requests become. */
export const turnTool = 'runtime_turn';
export const actionTool = 'runtime_action';

/** Between the earlier part of a chat and its newest message, in the prompt of a turn. */
export const messageMark = '[The message now:]\n';

/** What an owner may enable: the first ones are known by name, `acp:<name>` is added with its command. */
export const runtimeId = z
  .string()
  .regex(/^(claude_code|codex|gemini|opencode|pi_embedded|acp:[a-z0-9-]{1,32})$/);

const titles: ReadonlyMap<string, string> = new Map([
  ['claude_code', 'Claude Code'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
  ['opencode', 'OpenCode'],
  ['pi_embedded', 'Pi'],
]);

/** For people; of one that was added its own name, and the id of one that is not known here. */
export const runtimeTitle = (id: string): string => titles.get(id) ?? id.replace(/^acp:/, '');

/** As the other side names one: a newer version may know more of them. */
const anyRuntimeId = z.string().regex(/^([a-z][a-z0-9_]{0,31}|acp:[a-z0-9-]{1,32})$/);

/** Questions of a form, and forms that one turn may show. */
export const maxFormQuestions = 4;
export const maxForms = 20;
/** Characters of a plan that is shown with a form. */
export const maxPlan = 20_000;

/** How long a turn goes on without a word between its machine and the server. */
export const turnTimeoutMs = 180_000;

/** Requests of one turn that wait for an answer at the same time, and that the program may withdraw. */
export const maxOpenActions = 20;
export const maxWithdrawn = 20;

/** Pictures of one turn, and their base64 together, in characters. */
export const maxTurnPictures = 4;
export const maxPictureCharacters = 3_000_000;

/** A picture that is given to a coding agent with its task. */
export const turnPicture = z.strictObject({
  name: z.string().min(1).max(255),
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  data: z.base64().min(1),
});
export type TurnPicture = z.infer<typeof turnPicture>;

/** Those of one turn. */
export const turnPictures = z
  .array(turnPicture)
  .max(maxTurnPictures)
  .refine(
    (all) => all.reduce((sum, { data }) => sum + data.length, 0) <= maxPictureCharacters,
    `at most ${maxPictureCharacters} characters of base64`,
  );

const text = z.string();

/**
 * What a coding agent did in a turn, in order. `session` comes first: from then on it has the task. `n` joins
 * an action with its question, a call of its own, and its end; `status` of an end: `denied` where the person,
 * a rule or a mode said no. `form`: it asks its person something, also about a `plan`; that allows nothing.
 */
export const runtimeEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), session: text }),
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('thought'), text }),
  z.object({ type: z.literal('action'), n: z.int(), kind: text, title: text }),
  z.object({ type: z.literal('asked'), n: z.int(), requestId: chosenCallId }),
  z.object({
    type: z.literal('action-end'),
    n: z.int(),
    status: z.enum(['completed', 'failed', 'denied']),
    text,
  }),
  z.object({
    type: z.literal('form'),
    n: z.int(),
    message: z.string().min(1).max(500),
    questions: z.array(question).min(1).max(maxFormQuestions),
    plan: z.string().min(1).max(maxPlan).optional(),
  }),
  z.object({ type: z.literal('plan'), items: z.array(z.object({ text, status: text })) }),
  z.object({ type: z.literal('notice'), text }),
]);
export type RuntimeEvent = z.infer<typeof runtimeEvent>;

/** Events of one post. */
export const maxPostedEvents = 100;

/**
 * Events of a turn from the number `from` on, counted from 0: those that do not change any more. `text`: more
 * of the text that follows them, at its place in UTF-16 code units; it is not kept.
 */
export const turnProgress = z.object({
  from: z.int().nonnegative(),
  events: z.array(runtimeEvent).max(maxPostedEvents),
  text: z
    .object({ type: z.enum(['text', 'thought']), text: z.string(), offset: z.int().nonnegative() })
    .optional(),
});
export type TurnProgress = z.infer<typeof turnProgress>;

/** What its person answered to the form of an action; null: nothing, and nothing will come. */
export const formAnswer = z.object({
  n: z.int(),
  answers: z.array(questionAnswer).max(maxFormQuestions).nullable(),
});
export type FormAnswer = z.infer<typeof formAnswer>;

/**
 * The structured result of a turn. `session`: continues the conversation while the machine's daemon runs.
 * `tokens`: in its context at the end, where the program says so.
 */
export const turnResult = z.object({
  runtime: anyRuntimeId,
  session: z.string(),
  stopReason: z.string(),
  events: z.array(runtimeEvent),
  tokens: z.int().nonnegative().nullable(),
});
export type TurnResult = z.infer<typeof turnResult>;

/** What can answer a chat, and what was chosen in it: null where the server's settings decide. */
export const runtimeChoices = z.object({
  chosen: z.object({ id: z.string(), machineId: z.string(), folder: z.string().nullable() }).nullable(),
  /** What answers without a choice, `native` or a coding agent; null: nothing can. */
  byDefault: z.string().nullable(),
  /** The built-in agent has a model. */
  hasModel: z.boolean(),
  options: z.array(
    z.object({
      id: z.string(),
      machineId: z.string(),
      machine: z.string(),
      state: z.enum(['ready', 'paused', 'offline']),
    }),
  ),
});
export type RuntimeChoices = z.infer<typeof runtimeChoices>;

/**
 * A request to a daemon about its coding agents. It is not a tool call, so no model can send it, and there is
 * none that enables one. `test`: starts one that is enabled in its sandbox, without a task.
 */
export const runtimesQuery = z.discriminatedUnion('type', [
  z.object({ type: z.literal('list') }),
  z.object({ type: z.literal('test'), runtime: anyRuntimeId }),
]);
export type RuntimesQuery = z.infer<typeof runtimesQuery>;

/** Only for daemons with the feature `runtimes`. */
export const runtimesRequest = z.object({
  type: z.literal('runtimes-request'),
  payload: z.object({ requestId, query: runtimesQuery }),
});

/** The machine ends a test by then, and the server waits a little longer. */
export const runtimeTestMs = 45_000;

const words = z.string().max(500);
/** People copy it: what they do not see is not in it. */
const command = words.regex(/^[^\p{C}]+$/u);

/**
 * A coding agent of a machine. `version` and `isSignedIn`: of one that is enabled, where it says them; no
 * other one is started. `fix`: the command on the machine that mends what is missing, or enables it.
 */
const shownRuntime = z.object({
  id: anyRuntimeId,
  title: z.string().max(64),
  isFound: z.boolean(),
  isEnabled: z.boolean(),
  version: z.string().max(64).nullable(),
  isSignedIn: z.boolean().nullable(),
  missing: words.nullable(),
  fix: command.nullable(),
});
export type ShownRuntime = z.infer<typeof shownRuntime>;

/** `POST runtimes/:requestId`. `tested`: how the test ended; `reason` is null where it works. */
export const runtimeList = z.object({
  // One that this version cannot show leaves the others.
  runtimes: z
    .array(z.unknown())
    .max(32)
    .transform((all) => all.flatMap((one) => shownRuntime.safeParse(one).data ?? [])),
  tested: z.object({ runtime: anyRuntimeId, reason: words.nullable() }).optional(),
});
export type RuntimeList = z.infer<typeof runtimeList>;

/** `machineId`: an id or a name. */
export const testRuntimeInput = z.strictObject({ machineId, runtime: anyRuntimeId });
