import { machineOf } from '../callers/index.ts';
import { both, offlineStatus, type MachineView } from '../gateway/index.ts';
import { orNothing } from './read.ts';
import type { TopicEvent, TopicSource } from './topics.ts';

/** Another list of tools is a change of the machine, and so are other modes, and another default. */
const describe = (machine: MachineView | null) =>
  JSON.stringify([machine?.ref.machineId, machine?.status(), machine?.digest, machine?.modes]);

/** The status of the machine that is meant, as its user sees it. Specification 8. */
export const machineTopic =
  ({ isPresentShown }: { isPresentShown: boolean }): TopicSource =>
  (ctx, { user }) =>
  (feed) => {
    let shown: string | null = null;
    let isEarly = isPresentShown;
    const read = async (): Promise<TopicEvent[]> => {
      const machine = await machineOf(ctx.gateway, user);
      const isFirst = shown === null;
      const before = shown;
      shown = describe(machine);
      // A change during the first read is shown: that read may have seen it, and the caller's may not.
      const isNews = isEarly || (!isFirst && shown !== before);
      isEarly = false;
      const payload = machine?.status() ?? offlineStatus;
      return isNews ? [{ topic: 'machine', event: { type: 'instanceAiGatewayStateChanged', payload } }] : [];
    };
    const subscription = ctx.gateway.machines.onChanged(user.userId, () => {
      isEarly ||= shown === null;
      feed.due('machine', orNothing(ctx, read));
    });
    feed.due('machine', isPresentShown ? read : orNothing(ctx, read));
    return subscription;
  };

/** The machines of a user as the panel lists them, and daemons that were refused. */
export const machinesTopic: TopicSource =
  (ctx, { user: { userId } }) =>
  (feed) => {
    const { machines } = ctx.gateway;
    const read = async (): Promise<TopicEvent[]> => [
      { topic: 'machines', event: { type: 'machines', machines: await machines.summaries(userId) } },
    ];
    feed.due('machines', read);
    return both(
      machines.onChanged(userId, () => feed.due('machines', orNothing(ctx, read))),
      machines.onRefused(userId, (refused) =>
        feed.push(() => [{ topic: 'machines', event: { type: 'refused', refused } }]),
      ),
    );
  };

/** The settings of the module, once something of them may have changed. */
export const settingsTopic: TopicSource =
  (ctx, { user: { userId } }) =>
  (feed) => {
    const { settings } = ctx.gateway;
    const read = async (): Promise<TopicEvent[]> => [
      { topic: 'settings', event: { type: 'settings', settings: await settings.get(userId) } },
    ];
    return settings.onChanged(() => feed.due('settings', orNothing(ctx, read)));
  };
