import type { Failure } from '../../common/egress/refusal.ts';
import type { PushRefusal } from './push-commands.ts';

/** Why the gate does not serve a request of git. */
export type Reason =
  | PushRefusal
  | Extract<Failure, 'server' | 'never' | 'local' | 'unreachable' | 'denied'>
  | 'request'
  | 'unasked'
  | 'noLogin'
  | 'login'
  | 'missing'
  | 'redirect'
  | 'answer'
  | 'certificate'
  | 'hostKey'
  | 'noProgram';

/** Ends one request of git. */
export class Unserved extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

/** After the name of the repository; `unasked` has a sentence of its own. */
export const reasonWords: Record<Exclude<Reason, 'unasked'>, string> = {
  deletes: 'would delete a branch or a tag, which no command may',
  signed: 'is a signed push, which is not supported',
  options: 'has push options, which are not supported',
  invalid: 'has a list of changes that is not valid',
  large: 'has a list of changes that is too long',
  server: 'leads to the server of Drawbridge or this program',
  never: 'has a host without an address, or with one that is never connected',
  local: 'is on this machine or a private network: ask for it as local:<host>/<path>',
  unreachable: 'has a host that did not answer',
  denied: 'is forbidden by a rule of the user, or is allowed no longer',
  request: 'got a request that git does not need',
  noLogin:
    'has a host for which the git of the user has no stored login. A public repository needs only its host in the argument `network`',
  login: 'was refused by its host: the login of the user is not accepted there, or lacks the right',
  missing: 'was not found, or the login of the user does not reach it',
  redirect: 'has another address now, which the host redirects to: use that one',
  answer: 'got an answer from its host that git does not use',
  certificate: 'has a host without a valid certificate',
  hostKey: 'has a host whose key ssh does not know: ask the user to connect once in a terminal',
  noProgram: 'needs git and ssh of the user outside of the shared folder, which are not there',
};
