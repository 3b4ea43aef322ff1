import type { LiveEvent } from '@drawbridge/contracts/live';
import { onScopeDispose } from 'vue';
import { keepLive, shareLive, useApi, useClock } from '../../api/index.ts';
import { useSessionStore } from '../account/use-session-store.ts';
import { useCallsStore } from '../activity/use-calls-store.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import { useGatewayStore } from '../gateway/use-gateway-store.ts';
import { useToolsStore } from '../tools/use-tools-store.ts';
import { useServerStore } from './use-server-store.ts';

/** Connects the stores to the server's stream while the caller's scope lives. */
export const useLive = (): void => {
  const session = useSessionStore();
  const server = useServerStore();
  const gateway = useGatewayStore();
  const calls = useCallsStore();
  const confirmations = useConfirmationsStore();
  const tools = useToolsStore();

  const api = useApi();
  const clock = useClock();

  const onEvent = ({ topic, event }: LiveEvent): void => {
    switch (topic) {
      case 'machine':
        gateway.onState(event);
        // Another list of tools is told as a change of the machine's state.
        return void tools.load();
      case 'calls':
        return calls.onCall(event);
      case 'confirmations':
        return confirmations.onConfirmation(event);
      default:
        topic satisfies never;
    }
  };

  const stop = shareLive({
    userId: session.user?.id ?? '',
    open: (listener) => keepLive({ api, clock, listener }),
    recall: calls.recall,
    listener: {
      onEvent,
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
