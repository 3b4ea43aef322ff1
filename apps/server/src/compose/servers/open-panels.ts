import type { Bus } from '../../gateway/index.ts';
import { createQuota, type Quota } from '../../http/index.ts';

/** The open windows of panels, by user. */
export interface OpenPanels extends Quota {
  /** At this server or at another one; where the others cannot be asked, at this one. */
  isOpen(userId: string): Promise<boolean>;
}

/** At most `max` of a user at this server. A server with a window subscribes to a topic of its user. */
export const createOpenPanels = (
  max: number,
  bus: (Pick<Bus, 'subscribe'> & { isWatched(topic: `panel:${string}`): Promise<boolean> }) | null,
): OpenPanels => {
  const here = createQuota(max);
  const subscribed = new Map<string, () => void>();
  return {
    count: here.count,
    acquire: (userId) => {
      const release = here.acquire(userId);
      if (bus !== null && !subscribed.has(userId))
        subscribed.set(userId, bus.subscribe(`panel:${userId}`, () => {}).stop);
      return () => {
        release();
        if (here.count(userId) > 0) return;
        subscribed.get(userId)?.();
        subscribed.delete(userId);
      };
    },
    isOpen: async (userId) => here.count(userId) > 0 || ((await bus?.isWatched(`panel:${userId}`)) ?? false),
  };
};
