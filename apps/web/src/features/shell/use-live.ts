import type { LiveEvent, LiveMessage } from '@drawbridge/contracts/live';
import type { MachineSummary } from '@drawbridge/contracts/machines/summary';
import { onScopeDispose, watch } from 'vue';
import { keepLive, readUser, shareLive, useApi, useClock } from '../../api/index.ts';
import { useUsageStore } from '../agent-settings/use-usage-store.ts';
import { useCallsStore } from '../calls/use-calls-store.ts';
import { useOpenAsksStore } from '../chat/asks/use-open-asks-store.ts';
import { useThreadsStore } from '../chat/threads/use-threads-store.ts';
import { useAgentStore } from '../chat/use-agent-store.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import { useGatewayStore } from '../gateway/use-gateway-store.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import { useServerStore } from '../session/use-server-store.ts';
import { useSessionStore } from '../session/use-session-store.ts';

/** The machines with coding agents: on a server without a model, there is a chat while one has any. */
const withRuntimes = (machines: readonly MachineSummary[]): string =>
  JSON.stringify(
    machines.flatMap(({ id, modes, toolCount }) =>
      (modes?.runtime ?? 'deny') === 'deny' ? [] : [[id, toolCount]],
    ),
  );

/** Loads the stores, and connects them to the server's stream while the caller's scope lives. */
export const useLive = (): void => {
  const session = useSessionStore();
  const server = useServerStore();
  const gateway = useGatewayStore();
  const machines = useMachinesStore();
  const calls = useCallsStore();
  const confirmations = useConfirmationsStore();
  const agent = useAgentStore();
  const threads = useThreadsStore();
  const asks = useOpenAsksStore();
  const usage = useUsageStore();

  const api = useApi();
  const clock = useClock();

  const loadThreads = () => {
    if (!agent.enabled) return;
    void threads.load();
    void asks.load();
  };
  watch(() => agent.enabled, loadThreads);
  watch(() => withRuntimes(machines.machines), agent.load);

  const loadAll = () => {
    for (const store of [gateway, machines, confirmations, calls, agent]) void store.load();
    loadThreads();
  };
  const ping = async (): Promise<boolean> => {
    const user = await readUser(api).catch(() => undefined);
    if (user === null) session.leave();
    return user !== undefined;
  };

  const onEvent = ({ topic, event }: LiveEvent): void => {
    switch (topic) {
      case 'machine':
        return gateway.onState(event);
      case 'machines':
        return machines.onEvent(event);
      case 'calls':
        return calls.onCall(event);
      case 'confirmations':
        return confirmations.onConfirmation(event);
      case 'threads':
        asks.onThread(event);
        return threads.onThread(event);
      case 'settings':
        if (event.settings.enabled !== agent.enabled) void agent.load();
        return;
      case 'usage':
        return usage.onUsage(event);
      default:
        topic satisfies never;
    }
  };

  const listen = (message: LiveMessage): void => {
    switch (message.type) {
      case 'event':
        return onEvent(message.event);
      case 'up':
        server.onUp();
        return loadAll();
      case 'down':
        return server.onDown({ ping, read: loadAll });
      case 'signed-out':
        return session.leave();
      default:
        message satisfies never;
    }
  };

  const stop = shareLive({
    userId: session.user?.id ?? '',
    // The name of the built file has a hash of its content.
    build: import.meta.url,
    clock,
    open: (leading) => keepLive({ api, clock, listen: leading }),
    recall: calls.recall,
    listen,
  });
  loadAll();
  server.onDown({ ping, read: loadAll });
  onScopeDispose(stop);
};
