import { canonical } from '@drawbridge/kit';
import { endedBy, runtimeErrors, type TurnEvents } from '../driver.ts';
import { createAsking, type Asking } from '../waits.ts';
import { tokensOf, type Block, type Frame, type ToolRequest } from './frames.ts';
import { labelOf, toActionRequest } from './to-action.ts';
import { formTitles, toForm } from './to-form.ts';

export interface TurnNeeds {
  events: TurnEvents;
  /** The mode that its arguments set. */
  mode: string;
  fail(error: Error): void;
}

/** One use of a tool. */
interface Action {
  n: number;
  /** The input that was shown and allowed. */
  shown?: string;
  isWithdrawn?: true;
  isOver: boolean;
}

interface Answering {
  no(message: string): object;
  withdrawal: AbortSignal;
}

/** It asks in this one too, and goes into it without a question. */
const planMode = 'plan';
const refusal = 'Drawbridge does not allow this here';

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
};

interface FormNeeds {
  events: TurnEvents;
  wait: Asking<Action>['wait'];
}

/** Its person is asked; the answers are words, and nothing is allowed by them. */
const createForm =
  ({ events, wait }: FormNeeds) =>
  async (action: Action, { tool_name: name, input }: ToolRequest, { no, withdrawal }: Answering) => {
    const given = toForm(name, input);
    if (given === undefined) return no('There is nothing in it that could be shown to the user');
    const end = await wait(action, withdrawal, events.form(given.form, action.n, withdrawal));
    if ('withdrawn' in end) return { ...no(endedBy(withdrawal)), interrupt: true };
    if ('declined' in end) return no(end.declined);
    const answered = given.answered(end.answers);
    return 'no' in answered ? no(answered.no) : { behavior: 'allow', updatedInput: answered.input };
  };

/** What the frames of one turn mean. */
export const createTurn = ({ events, mode, fail }: TurnNeeds) => {
  const actions = new Map<string, Action>();
  let tokens: number | null = null;
  let hasMode = false;

  const { isAsking, wait, end } = createAsking<Action>(events.event);

  const see = (id: string, name: string, input: unknown): Action => {
    const known = actions.get(id);
    if (known !== undefined) {
      if (known.shown !== undefined && canonical(input) !== known.shown) fail(runtimeErrors.mismatch());
      return known;
    }
    const action = { n: actions.size + 1, isOver: false };
    actions.set(id, action);
    events.event({ type: 'action', n: action.n, ...labelOf(name, input) });
    return action;
  };

  const onBlock = ({ type, id, name, input, tool_use_id: of, content, is_error: isError }: Block) => {
    if (type === 'tool_use' && id !== undefined && name !== undefined) see(id, name, input);
    const action = type === 'tool_result' && of !== undefined ? actions.get(of) : undefined;
    if (action?.isWithdrawn && isError !== true) return fail(runtimeErrors.mismatch());
    if (action) end(action, isError === true ? 'failed' : 'completed', textOf(content));
  };

  const onSystem = ({ subtype, permissionMode, retry_delay_ms: delay }: Frame & { type: 'system' }) => {
    if (subtype === 'init') hasMode = permissionMode === mode;
    const isOther =
      typeof permissionMode === 'string' && permissionMode !== mode && permissionMode !== planMode;
    if (isOther || (subtype === 'init' && !hasMode))
      fail(runtimeErrors.mismatch({ message: 'The coding agent left the mode in which it asks' }));
    if (subtype === 'api_retry')
      events.event({
        type: 'notice',
        text: `Its model failed; next try in ${Math.ceil((delay ?? 0) / 1_000)} s`,
      });
  };

  const onForm = createForm({ events, wait });

  return {
    tokens: () => tokens,
    isBusy: () => isAsking() || [...actions.values()].some(({ isOver }) => !isOver),
    fail,
    frame: (frame: Frame) => {
      if (frame.type === 'system') return onSystem(frame);
      if (frame.type === 'assistant' || frame.type === 'user') return frame.message.content.forEach(onBlock);
      if (frame.type !== 'stream_event' || frame.parent_tool_use_id) return;
      const { message, delta } = frame.event;
      if (message?.usage) tokens = tokensOf(message.usage);
      if (delta?.text) events.event({ type: 'text', text: delta.text });
      if (delta?.thinking) events.event({ type: 'thought', text: delta.thinking });
    },
    /** Answers one request: yes to this input, or no with the reason. Never a rule, and never a mode. */
    permission: async (given: ToolRequest, withdrawal: AbortSignal): Promise<object> => {
      const { tool_name: name, input, tool_use_id: id } = given;
      const action = see(id, name, input);
      const no = (message: string) => {
        end(action, 'denied', message);
        return { behavior: 'deny', message };
      };
      if (!hasMode) return no(refusal);
      if (formTitles.has(name)) return onForm(action, given, { no, withdrawal });
      const request = toActionRequest(name, input);
      if (request === undefined) return no(refusal);
      const verdict = await wait(action, withdrawal, events.ask(request, action.n, withdrawal));
      if (withdrawal.aborted || 'withdrawn' in verdict)
        return { ...no(endedBy(withdrawal)), interrupt: true };
      if (!verdict.allow) return no(verdict.reason);
      action.shown = canonical(input);
      return { behavior: 'allow', updatedInput: input };
    },
  };
};

export type Turn = ReturnType<typeof createTurn>;
