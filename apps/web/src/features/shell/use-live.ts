import { onScopeDispose } from 'vue';
import { keepLive, shareLive, useApi, useClock } from '../../api/index.ts';
import { useSessionStore } from '../account/use-session-store.ts';
import { useCallsStore } from '../activity/use-calls-store.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import { useGatewayStore } from '../gateway/use-gateway-store.ts';
import { useToolsStore } from '../tools/use-tools-store.ts';
import { useServerStore } from './use-server-store.ts';

/** Connects the stores to the server's streams while the caller's scope lives. */
export const useLive = (): void => {
  const session = useSessionStore();
  const server = useServerStore();
  const gateway = useGatewayStore();
  const calls = useCallsStore();
  const confirmations = useConfirmationsStore();
  const tools = useToolsStore();

  const api = useApi();
  const clock = useClock();

  const stop = shareLive({
    userId: session.user?.id ?? '',
    open: (listener) => keepLive({ api, clock, listener }),
    recall: calls.recall,
    listener: {
      onState: (event) => {
        gateway.onState(event);
        // Another list of tools is told as a change of the machine's state.
        void tools.load();
      },
      onCall: calls.onCall,
      onConfirmation: confirmations.onConfirmation,
      onUp: () => {
        server.onUp();
        void gateway.load();
        void confirmations.load();
        void calls.load();
        void tools.load();
      },
      onDown: server.onDown,
      onSignedOut: session.leave,
    },
  });
  server.onDown();
  onScopeDispose(stop);
};
