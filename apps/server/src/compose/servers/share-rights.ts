import type { Rights } from '../../db/index.ts';
import type { Bus } from '../../gateway/index.ts';

/** Says when rights have changed; a server that misses the message reads them again half a second later. */
export const shareRights = (
  { onRightsChanged, rightsChanged }: Pick<Rights, 'onRightsChanged' | 'rightsChanged'>,
  bus: Pick<Bus, 'here' | 'publish' | 'subscribe'>,
): void => {
  onRightsChanged(() => bus.publish('all', { type: 'rights', by: bus.here }));
  bus.subscribe('all', (message) => {
    if (message.type === 'rights' && message.by !== bus.here) rightsChanged();
  });
};
