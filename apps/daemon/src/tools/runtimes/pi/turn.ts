import { parseJson } from '../../../text/parse-json.ts';
import { endedBy, runtimeErrors, type TurnEvents } from '../driver.ts';
import { createAsking } from '../waits.ts';
import { toolRequest, type Frame, type Message } from './frames.ts';
import { yes } from './gate.ts';
import { labelOf, toActionRequest } from './to-action.ts';

export interface TurnNeeds {
  events: TurnEvents;
  fail(error: Error): void;
  ended(): void;
}

/** One use of a tool. */
interface Action {
  n: number;
  isAllowed?: true;
  isWithdrawn?: true;
  isOver: boolean;
}

const never = new AbortController().signal;
const refusal = 'There is no question that could show what it would do';

const tokensOf = ({ usage }: Message): number | null =>
  usage === undefined ? null : usage.input + usage.cacheRead + usage.cacheWrite;

/** What the records of one turn mean. */
export const createTurn = ({ events, fail, ended }: TurnNeeds) => {
  const actions = new Map<string, Action>();
  let tokens: number | null = null;
  let last: Message | undefined;

  const { isAsking, wait, end } = createAsking<Action>(events.event);

  const see = (id: string, name: string, input: unknown): Action => {
    const known = actions.get(id);
    if (known !== undefined) return known;
    const action = { n: actions.size + 1, isOver: false };
    actions.set(id, action);
    events.event({ type: 'action', n: action.n, ...labelOf(name, input) });
    return action;
  };

  const onEnd = ({ toolCallId, isError, result }: Frame & { type: 'tool_execution_end' }) => {
    const action = actions.get(toolCallId);
    if (action?.isAllowed !== true && !isError) return fail(runtimeErrors.mismatch());
    const text = result.content.flatMap((one) => one.text ?? []).join('\n');
    if (action) end(action, isError ? 'failed' : 'completed', text);
  };

  return {
    tokens: () => tokens,
    /** How its model ended. */
    last: () => last,
    isBusy: () => isAsking() || [...actions.values()].some(({ isOver }) => !isOver),
    fail,
    frame: (given: Frame) => {
      switch (given.type) {
        case 'message_update': {
          const { type, delta = '' } = given.assistantMessageEvent;
          if (type === 'text_delta') events.event({ type: 'text', text: delta });
          if (type === 'thinking_delta') events.event({ type: 'thought', text: delta });
          return;
        }
        case 'message_end':
          if (given.message.role !== 'assistant') return;
          last = given.message;
          tokens = tokensOf(last) ?? tokens;
          return;
        case 'tool_execution_start':
          return void see(given.toolCallId, given.toolName, given.args);
        case 'tool_execution_end':
          return onEnd(given);
        case 'auto_retry_start': {
          const seconds = Math.ceil(given.delayMs / 1_000);
          return events.event({ type: 'notice', text: `Its model failed; next try in ${seconds} s` });
        }
        case 'agent_settled':
          return ended();
        default:
      }
    },
    /** The answer to its gate: yes to what was shown, or why not; undefined where nothing is answered. */
    permission: async (asked: string): Promise<string | undefined> => {
      const given = parseJson(toolRequest, asked);
      if (given === undefined) return refusal;
      const action = see(given.toolCallId, given.toolName, given.input);
      const no = (why: string) => {
        end(action, 'denied', why);
        return why;
      };
      const request = toActionRequest(given);
      if (request === undefined) return no(refusal);
      const verdict = await wait(action, never, events.ask(request, action.n, never));
      if ('withdrawn' in verdict) {
        no(endedBy(never));
        return undefined;
      }
      if (!verdict.allow) return no(verdict.reason);
      action.isAllowed = true;
      return yes;
    },
  };
};

export type Turn = ReturnType<typeof createTurn>;
