import type { DaemonStatus } from '../status/index.ts';
import type { Check } from './check.ts';

/** Whether something buffers the stream on the way: only a running daemon can know. */
export const checkProxy = (daemons: readonly DaemonStatus[]): Check => {
  const name = 'proxy';
  if (daemons.some(({ heldBack }) => heldBack)) {
    return {
      name,
      state: 'problem',
      says: 'something on the way holds back the stream: calls come late or not at all',
      fix: 'Switch its buffering off, as in docs/behind-a-proxy.md.',
    };
  }
  if (daemons.some(({ link }) => link.state === 'connected')) {
    return { name, state: 'ok', says: 'what the server says arrives at once' };
  }
  return { name, state: 'note', says: 'not looked at: it shows while drawbridge is connected' };
};
