import type { IncomingMessage } from '../adapter.ts';
import { codeIn } from '../senders/codes.ts';

/** What a message is for this server. */
export type Meaning =
  | { type: 'ignored' }
  /** A code in a group: others have read it. */
  | { type: 'exposed-code'; code: string }
  | { type: 'code'; code: string }
  /** A paired sender sends a code. */
  | { type: 'paired-already' }
  /** Of somebody who is not paired. */
  | { type: 'unknown' }
  | { type: 'message' };

/** The bot does not answer in groups. `isPaired`: the sender is bound to an account that may sign in. */
export const meaningOf = (
  { isGroup, text }: Pick<IncomingMessage, 'isGroup' | 'text'>,
  isPaired: boolean,
): Meaning => {
  const given = codeIn(text);
  if (isGroup) return given === null ? { type: 'ignored' } : { type: 'exposed-code', code: given.code };
  if (isPaired) return given?.isAsked === true ? { type: 'paired-already' } : { type: 'message' };
  return given === null ? { type: 'unknown' } : { type: 'code', code: given.code };
};
