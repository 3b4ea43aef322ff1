import { canonical } from '@drawbridge/kit';
import { parse } from 'secure-json-parse';
import type { ToolCallRow } from '../../rows/rows.ts';

const signatureLength = 500;

/** Quotes, addresses, paths, ids and numbers differ from one try to the next. */
const variable = [
  /(?<![\p{L}\p{N}])(["'`])(?:(?!\1)[^\\\n]|\\.){0,500}\1/gu,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/g,
  /(?<![^\s:;,()])(?:[a-z]:)?[^\s:;,()]*[\\/][^\s:;,()]*/g,
  /(?<![\p{L}\p{N}_-])(?=[\w-]*\d)[\w-]+(?:\.\w+)*/gu,
];

/**
 * What a call tried and how it failed: tool and failure in lower case, without quoted texts, addresses,
 * paths, ids and numbers; at most 500 characters.
 */
export const failureSignature = (tool: string, failure: string): string => {
  const text = variable.reduce((rest, pattern) => rest.replace(pattern, ' '), failure.toLowerCase());
  return `${tool.toLowerCase()}: ${text.replace(/\s+/g, ' ').trim()}`.slice(0, signatureLength);
};

/** A call that has ended. */
export interface PastCall extends Pick<
  ToolCallRow,
  'id' | 'step' | 'n' | 'tool' | 'arguments' | 'effect' | 'outcome' | 'signature' | 'result'
> {
  /** It may have changed something outside: a call that failed before may succeed after it. */
  isWriting: boolean;
}

export type NextCall = Pick<ToolCallRow, 'tool' | 'arguments'>;

/** The arguments with their keys in order; what is no JSON stays as it is. */
const normalised = (args: string): string => {
  try {
    return canonical(parse(args, { protoAction: 'ignore', constructorAction: 'ignore' }));
  } catch {
    return args;
  }
};

/** The same for equal calls. Different calls rarely share it, for it keeps a hash of the arguments. */
export const briefOf = ({ tool, arguments: text }: NextCall): string => {
  const args = normalised(text);
  let hash = 0;
  for (let at = 0; at < args.length; at += 1) hash = (Math.imul(hash, 31) + args.charCodeAt(at)) | 0;
  return `${tool} ${args.length} ${hash}`;
};

/** The calls of an agent that have ended, as `briefOf` gives them, by their ids. */
export interface EndedCalls {
  /** All calls up to this step are there. */
  step: number;
  briefs: Map<string, string>;
}

/** A cut result names the id of its call, which is another for each call. */
const resultOf = ({ id, result }: PastCall): string => JSON.stringify(result).replaceAll(id, '');

/** Equal for calls that failed alike; the id of a call that did not fail. */
const failureOf = ({ id, outcome, signature }: PastCall): string =>
  (outcome === 'failed' ? signature : null) ?? id;

/** The earlier equal calls, newest first, as far back as another call that succeeded in writing. */
const equalCalls = (history: readonly PastCall[], next: NextCall): PastCall[] => {
  const args = normalised(next.arguments);
  const equal: PastCall[] = [];
  for (const call of history.toSorted((a, b) => b.step - a.step || b.n - a.n)) {
    if (call.tool === next.tool && normalised(call.arguments) === args) equal.push(call);
    else if (call.isWriting && call.effect !== 'own' && call.outcome === 'ok') break;
  }
  return equal.filter(({ outcome }) => outcome === 'ok' || outcome === 'failed');
};

const areAlike = (calls: readonly PastCall[], count: number, keyOf: (call: PastCall) => string): boolean =>
  calls.length >= count && new Set(calls.slice(0, count).map(keyOf)).size === 1;

/**
 * Why the call is refused, as a sentence for the model: the same call has failed alike twice, or has
 * given the same result three times. Null when it may run. `history`: the ended calls of its agent.
 */
export const isRepeat = (history: readonly PastCall[], next: NextCall): string | null => {
  const equal = equalCalls(history, next);
  if (areAlike(equal, 2, failureOf)) {
    return `This call of ${next.tool} has failed twice in the same way, so it was not run again. Change the arguments, use another tool, or report the failure.`;
  }
  if (areAlike(equal, 3, resultOf)) {
    return `This call of ${next.tool} has given the same result three times, so it was not run again. Use the result that you have, or do something else.`;
  }
  return null;
};
