import { createTailnet, createTailscaled, type Tailnet } from '../auth/index.ts';
import {
  closeServers,
  createHostGuard,
  createServer,
  createUpgrades,
  portOf,
  serveHealth,
  watchIdleSockets,
} from '../http/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  opened: OpenAccounts;
}

const createIdentity = ({ config, clock, opened }: Parts): Tailnet => {
  const { accounts, onError } = opened;
  const { tailscaleSocket: socketPath, tailscaleUsers: users, tailscaleScopes: scopes } = config;
  const { byEmail, isEnabled } = accounts;
  const tailscaled = createTailscaled({ socketPath, clock });
  return createTailnet({ tailscaled, clock, users, scopes, byEmail, isEnabled, onError });
};

/** A server of its own for clients that Tailscale identifies: `/health`, and what the door adds. */
export const createTailnetListener = async (parts: Parts) => {
  const { config, clock, opened } = parts;
  const { tailscalePort: port, tailscaleAddress: host, tailscaleHost, callMaxMs: longestAnswerMs } = config;
  if (port === undefined) return null;
  const server = await createServer({ log: opened.log, trustProxy: [], secure: false, longestAnswerMs });
  const { closeIdle, forget } = watchIdleSockets(server.server);
  const upgrades = createUpgrades({ clock, onUpgraded: forget });
  upgrades.own(server.server);
  serveHealth(server, opened);
  const address = host.includes(':') ? `[${host}]` : host;
  return {
    server,
    tailnet: createIdentity(parts),
    sockets: {
      upgrades: upgrades.at('/rpc', ['/']),
      guardOrigin: createHostGuard(new Set([address, ...(tailscaleHost ? [tailscaleHost] : [])])),
    },
    /** The open port; 0 before `listen`. */
    port: (): number => portOf(server),
    listen: () => server.listen({ host, port }),
    close: () => closeServers([server.server], { clock, close: () => server.close(), closeIdle }),
  };
};

export type TailnetListener = NonNullable<Awaited<ReturnType<typeof createTailnetListener>>>;
