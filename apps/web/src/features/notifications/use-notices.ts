import type { NotifyTime } from '@drawbridge/contracts/outside/notifications';
import { onScopeDispose, watch } from 'vue';
import { useRouter } from 'vue-router';
import { attempt, useApi } from '../../api/index.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import { useSessionStore } from '../session/use-session-store.ts';
import { renewDevice } from './device.ts';
import { onNotificationClick, serviceWorker } from './service-worker.ts';

/** Shows questions as browser notifications while this window is hidden, and opens clicked ones. */
export const useNotices = (): void => {
  const api = useApi();
  const router = useRouter();
  const session = useSessionStore();
  const confirmations = useConfirmationsStore();
  const machines = useMachinesStore();
  let when: NotifyTime = 'never';

  onScopeDispose(onNotificationClick((path) => void router.push(path)));
  void renewDevice(session.user?.id ?? '').catch(() => {});
  void attempt(async () => {
    ({ when } = await api.notifications.get.query());
  });

  const mayShow = () =>
    when !== 'never' &&
    document.hidden &&
    'Notification' in globalThis &&
    Notification.permission === 'granted';
  const show = async (id: string, machineId: string) => {
    const title = `A question waits on ${machines.nameOf(machineId)}`;
    // The same tag as a push of this question: one replaces the other.
    const options = { tag: id, data: { path: `/inbox/${id}` }, icon: '/icon-192.png' };
    const worker = await serviceWorker();
    // A push of it may have come first, with its buttons.
    if ((await worker?.getNotifications({ tag: id }))?.length === 0)
      await worker?.showNotification(title, options);
  };
  const close = async (id: string) => {
    for (const shown of (await (await serviceWorker())?.getNotifications({ tag: id })) ?? []) shown.close();
  };

  watch(
    () => confirmations.open,
    (open, before) => {
      for (const { id, machineId } of open)
        if (mayShow() && !before.some((one) => one.id === id)) void show(id, machineId);
      for (const { id } of before) if (!open.some((one) => one.id === id)) void close(id);
    },
  );
};
