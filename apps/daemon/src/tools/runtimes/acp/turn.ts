import { endedBy, runtimeErrors, type TurnEvents } from '../driver.ts';
import type { FormRequest, PermissionRequest, SessionUpdate, ToolCall } from './frames.ts';
import { toForm } from './to-form.ts';
import { createAsking, type Asking } from '../waits.ts';
import { commandOf, toActionRequest } from './to-action.ts';

export interface TurnNeeds {
  events: TurnEvents;
  /** The mode that was set. */
  mode: string | null;
  fail(error: Error): void;
}

/** One use of a tool: all that its frames said so far. */
interface Action {
  n: number;
  whole: ToolCall;
  /** The command that was shown and allowed. */
  shown?: string;
  isWithdrawn?: true;
  isOver: boolean;
}

const cancelled = { outcome: { outcome: 'cancelled' } };

/** What later frames leave out stays. */
const join = (before: ToolCall | undefined, { toolCallId, ...later }: ToolCall): ToolCall => {
  const said = Object.entries(later).filter(([, value]) => value !== undefined && value !== null);
  return { rawInput: undefined, ...before, toolCallId, ...Object.fromEntries(said) };
};

const outputOf = ({ content }: ToolCall): string =>
  (content ?? []).flatMap((one) => one.content?.text ?? []).join('\n');

interface AnswerNeeds {
  see(frame: ToolCall): Action;
  end(action: Action, status: 'completed' | 'denied', text: string): void;
  events: TurnEvents;
}

interface FormNeeds extends AnswerNeeds {
  actions: ReadonlyMap<string, Action>;
}

interface PermissionNeeds extends AnswerNeeds {
  wait: Asking<Action>['wait'];
}

/** Asks its person; the answers are words, and nothing is allowed by them. */
const createForm =
  ({ actions, see, end, events }: FormNeeds) =>
  async (request: FormRequest, withdrawal: AbortSignal): Promise<object> => {
    const { form, contentOf } = toForm(request);
    const toolCallId = `form ${actions.size + 1}`;
    const action = see({ toolCallId, kind: 'form', title: 'Question', rawInput: null });
    const given = await events.form(form, action.n, withdrawal);
    if ('withdrawn' in given) {
      end(action, 'denied', endedBy(withdrawal));
      return { action: 'cancel' };
    }
    const content = 'answers' in given ? contentOf(given.answers) : null;
    if (content !== null) {
      end(action, 'completed', 'The person has answered');
      return { action: 'accept', content };
    }
    end(action, 'denied', 'declined' in given ? given.declined : 'The answer leaves out what it needs');
    return { action: 'decline' };
  };

/** Answers one request: yes once, or no. Never more than once, and never a mode. */
const createPermission =
  ({ see, end, events, wait }: PermissionNeeds) =>
  async ({ toolCall, options }: PermissionRequest, withdrawal: AbortSignal): Promise<object> => {
    const action = see(toolCall);
    const once = options.find(({ kind }) => kind === 'allow_once');
    const no = options.find(({ kind }) => kind === 'reject_once');
    const refuse = (reason: string) => {
      end(action, 'denied', reason);
      return no ? { outcome: { outcome: 'selected', optionId: no.optionId } } : cancelled;
    };
    const request = toActionRequest(action.whole);
    if (request === undefined || once === undefined)
      return refuse('It does not say what it would do, or asks for more than this once');
    const verdict = await wait(action, withdrawal, events.ask(request, action.n, withdrawal));
    if (withdrawal.aborted || 'withdrawn' in verdict) return cancelled;
    if (!verdict.allow) return refuse(verdict.reason);
    delete action.isWithdrawn;
    if (request.kind === 'command') action.shown = request.command;
    return { outcome: { outcome: 'selected', optionId: once.optionId } };
  };

/** What the frames of one turn mean. */
export const createTurn = ({ events, mode, fail }: TurnNeeds) => {
  const actions = new Map<string, Action>();
  let tokens: number | null = null;

  const { isAsking, wait, end } = createAsking<Action>(events.event);

  const see = (frame: ToolCall): Action => {
    const known = actions.get(frame.toolCallId);
    if (known !== undefined) {
      known.whole = join(known.whole, frame);
      return known;
    }
    const whole = join(undefined, frame);
    const action = { n: actions.size + 1, whole, isOver: false };
    actions.set(frame.toolCallId, action);
    const { kind, title } = whole;
    events.event({ type: 'action', n: action.n, kind: kind ?? 'other', title: title ?? kind ?? 'a tool' });
    return action;
  };

  const onToolCall = (frame: ToolCall) => {
    const action = see(frame);
    const said = commandOf(frame);
    if (said !== undefined && action.shown !== undefined && said.command !== action.shown)
      return fail(runtimeErrors.mismatch());
    const { status } = action.whole;
    if (action.isWithdrawn && status === 'completed') return fail(runtimeErrors.mismatch());
    if (status === 'completed' || status === 'failed') end(action, status, outputOf(action.whole));
  };

  return {
    tokens: () => tokens,
    /** Whether a request waits for an answer, or an action runs. */
    isBusy: () => isAsking() || [...actions.values()].some(({ isOver }) => !isOver),
    fail,
    update: (update: SessionUpdate) => {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          return events.event({ type: 'text', text: update.content.text ?? '' });
        case 'agent_thought_chunk':
          return events.event({ type: 'thought', text: update.content.text ?? '' });
        case 'tool_call':
        case 'tool_call_update':
          return onToolCall(update);
        case 'plan':
          return events.event({
            type: 'plan',
            items: update.entries.map(({ content, status }) => ({ text: content, status })),
          });
        case 'current_mode_update':
          if (mode !== null && update.currentModeId !== mode)
            fail(runtimeErrors.mismatch({ message: 'The coding agent left the mode in which it asks' }));
          return;
        case 'usage_update':
          tokens = update.used;
          return;
        default:
          update satisfies never;
      }
    },
    permission: createPermission({ see, end, events, wait }),
    form: createForm({ actions, see, end, events }),
  };
};

export type Turn = ReturnType<typeof createTurn>;
