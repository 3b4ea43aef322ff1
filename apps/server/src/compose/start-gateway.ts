import { packedPath } from '@drawbridge/contracts/release';
import { createGateway, defaultLimits, type Gateway } from '../gateway/index.ts';
import type { DaemonPackage } from '../http/index.ts';
import type { Notifications } from '../notify/index.ts';
import { shownOnDevice } from './start-notifications.ts';
import { isInContainer } from '../program/container.ts';
import type { Others } from './servers/connect-servers.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  opened: OpenAccounts;
  daemon: DaemonPackage | null;
  notifications: Notifications;
  others: Others;
  /** Whether the built-in agent, which starts later, has a model. */
  isAgentOn(): Promise<boolean>;
}

/** Fills in `DAEMON_COMMAND` for one pairing token. */
const daemonCommand = ({ config, opened: { address }, daemon }: Parts, token: string): string => {
  const path = daemon === null ? '/daemon.tgz' : packedPath(daemon.about);
  return config.daemonCommand
    .replaceAll('{daemon}', () => address.url() + path)
    .replaceAll('{url}', () => address.url())
    .replaceAll('{token}', () => token)
    .replaceAll('{flags}', () => (address.isInsecure() ? '--allow-insecure-http' : ''))
    .trimEnd();
};

/** The gateway, with what earlier runs of the server left in the store. */
export const startGateway = async (parts: Parts): Promise<Gateway> => {
  const { config, clock, opened, daemon, notifications, isAgentOn } = parts;
  const { store, accounts, address, log, onError } = opened;
  const { callMaxMs, resultMaxBytes, sessionKeyIdleMs, keepCallsMs, machinesPerUser } = config;
  const { fallbackDirectory, localGatewayDir, storedBytesPerDay } = config;
  const { server } = parts.others;
  const gateway: Gateway = createGateway({
    store,
    clock,
    ...(server && { server }),
    limits: {
      ...defaultLimits,
      callMaxMs,
      resultMaxBytes,
      sessionKeyIdleMs,
      keepCallsMs,
      machinesPerUser,
      storedBytesPerDay,
    },
    isDiskLow: opened.isDiskLow,
    pairing: {
      gatewayApiKey: config.gatewayApiKey,
      secret: opened.secret,
      daemonCommand: (token) => daemonCommand(parts, token),
      isInsecure: address.isInsecure,
      ...(daemon !== null && { release: daemon.about }),
    },
    module: {
      isAgentOn,
      localGateway: localGatewayDir !== null || fallbackDirectory !== null,
      localGatewayFallbackDirectory: fallbackDirectory,
      canShareFolder: localGatewayDir === null && !isInContainer(),
    },
    onAsked: ({ confirmationId: id, ...question }) =>
      notifications.asked({
        ...question,
        id,
        path: `/inbox/${id}`,
        shown: () => {
          const key = { userId: question.userId, askId: id, confirmationId: id };
          return shownOnDevice({ agent: null, confirmation: gateway.confirmations.get }, key);
        },
      }),
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    log,
    onError,
  });
  await gateway.start();
  return gateway;
};
