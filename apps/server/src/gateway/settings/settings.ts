import type { Settings, UpdateSettingsInput } from '@drawbridge/contracts/settings';
import { errors } from '../../errors.ts';
import { watchTopic, type Bus, type Subscription } from '../bus.ts';
import type { Scope, SwitchesStore } from './switches.store.ts';

/** What the server's configuration says of the module. Specification 8. */
export interface ModuleFacts {
  /** A model of the built-in agent is chosen. */
  isAgentOn(): Promise<boolean>;
  localGateway: boolean;
  localGatewayFallbackDirectory: string | null;
  /** The server could share a folder of its own: it runs in no container, and none is configured. */
  canShareFolder: boolean;
}

export interface SettingsNeeds {
  store: SwitchesStore;
  facts: ModuleFacts;
  isOwner(userId: string): Promise<boolean>;
  bus: Bus;
  /** A switch was turned off: affected connections must close. */
  onDisabled(scope: Scope): Promise<void>;
}

/** Module settings and the two off switches. */
export const createSettings = ({ store, facts, isOwner, bus, onDisabled }: SettingsNeeds) => {
  const everyone: Scope = { kind: 'all' };
  const { isDisabled } = store;

  const turn = async (scope: Scope, disabled: boolean) => {
    await store.set(scope, disabled);
    bus.publish('all', { type: 'switched' });
    if (disabled) await onDisabled(scope);
  };

  const get = async (userId: string): Promise<Settings> => {
    const [disabledByOwner, disabledByUser, owner] = [
      await isDisabled(everyone),
      await isDisabled({ kind: 'user', userId }),
      await isOwner(userId),
    ];
    const { localGateway, localGatewayFallbackDirectory, canShareFolder } = facts;
    return {
      enabled: await facts.isAgentOn(),
      localGateway,
      localGatewayFallbackDirectory,
      localGatewayDisabled: disabledByOwner || disabledByUser,
      disabledByOwner,
      disabledByUser,
      isOwner: owner,
      canShareFolder: owner && canShareFolder,
    };
  };

  return {
    get,
    /** The answer of `isAgentOn` may have changed. */
    changed: () => bus.publish('all', { type: 'switched' }),
    /** Something of the settings of some user may have changed. */
    onChanged: (listener: () => void): Subscription =>
      watchTopic(bus, { topic: 'all', type: 'switched' }, listener, listener),
    /** Throws `forbidden` if another user changes the owner's switch. */
    update: async (
      userId: string,
      { disabledByOwner, disabledByUser }: UpdateSettingsInput,
    ): Promise<Settings> => {
      if (disabledByOwner !== undefined && !(await isOwner(userId))) throw errors.forbidden();
      if (disabledByOwner !== undefined) await turn(everyone, disabledByOwner);
      if (disabledByUser !== undefined) await turn({ kind: 'user', userId }, disabledByUser);
      return get(userId);
    },
    /** Throws `gatewayDisabled`. */
    requireEnabled: async (userId: string) => {
      if ((await isDisabled(everyone)) || (await isDisabled({ kind: 'user', userId })))
        throw errors.gatewayDisabled();
    },
  };
};

export type GatewaySettings = ReturnType<typeof createSettings>;
