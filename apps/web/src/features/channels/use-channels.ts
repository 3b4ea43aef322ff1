import { onMounted, onUnmounted } from 'vue';
import { createLoaded, useApi, useClock } from '../../api/index.ts';

const everyMs = 3_000;

/** The channels, and what is the person's own, read again every 3 s while the window is seen. */
export const useChannels = () => {
  const api = useApi();
  const clock = useClock();
  const loaded = createLoaded(async () => {
    const { list, codes, senders, groups, rules } = api.channels;
    const [channels, open, bound, known, ordered] = await Promise.all([
      list.query(),
      codes.list.query(),
      senders.list.query(),
      groups.list.query(),
      rules.list.query(),
    ]);
    return { channels, codes: open, senders: bound, groups: known, rules: ordered };
  });
  let cancel = () => {};
  let isOver = false;

  const follow = async () => {
    if (document.visibilityState === 'visible') await loaded.load();
    if (!isOver) cancel = clock.after(everyMs, () => void follow());
  };
  onMounted(follow);
  onUnmounted(() => {
    isOver = true;
    cancel();
  });
  return loaded;
};
