import type { DaemonStatus } from '../status/index.ts';
import type { Check } from './check.ts';

/** Whether something buffers the stream on the way: only a running daemon can know. */
export const checkProxy = (daemons: readonly DaemonStatus[]): Check => {
  const name = 'proxy';
  if (daemons.some(({ heldBack }) => heldBack)) {
    return {
      name,
      state: 'problem',
      says: 'a proxy on the way buffers the stream: calls come late or not at all',
      fix: 'Switch its buffering off, as in docs/behind-a-proxy.md.',
    };
  }
  const connected = daemons.filter(({ link }) => link.state === 'connected');
  if (connected.some(({ link }) => link.way === 'stream')) {
    return {
      name,
      state: 'note',
      says: 'events of the server arrive at once, on the event stream: the WebSocket is switched off or refused',
    };
  }
  if (connected.length > 0) return { name, state: 'ok', says: 'events of the server arrive at once' };
  return { name, state: 'note', says: 'not checked: this needs a connected drawbridge' };
};
