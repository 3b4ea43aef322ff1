import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A node of the tailnet. A tagged one has the login that tailscaled gives it. */
export interface TailnetNode {
  id: string;
  login: string;
  tags?: string[];
}

export const ownNode = 'nServer11CNTRL';

const whoIsOf = ({ id, login, tags }: TailnetNode) => ({
  Node: {
    ID: 4_711,
    StableID: id,
    Name: `${id}.tail1234.ts.net.`,
    User: 12,
    ...(tags && { Tags: tags }),
  },
  UserProfile: { ID: 12, LoginName: login, DisplayName: login, ProfilePicURL: '' },
  CapMap: {},
});

const ownStatus = {
  Version: '1.90.0',
  BackendState: 'Running',
  Self: { ID: ownNode, HostName: 'server', DNSName: 'server.tail1234.ts.net.', TailscaleIPs: ['100.64.0.1'] },
  MagicDNSSuffix: 'tail1234.ts.net',
};

/** A stand-in for tailscaled: its local API on a Unix socket, for nodes by IP address. */
export const openTailscaled = async (nodes: Record<string, TailnetNode>) => {
  const folder = mkdtempSync(join(tmpdir(), 'tailscaled-'));
  const socketPath = join(folder, 'tailscaled.sock');
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://local-tailscaled.sock');
    if (headers.host !== 'local-tailscaled.sock') return void reply.writeHead(403).end('invalid host');
    const json = (body: unknown) =>
      void reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/localapi/v0/status') return json(ownStatus);
    if (pathname !== '/localapi/v0/whois') return void reply.writeHead(404).end('404 page not found');
    const address = searchParams.get('addr') ?? '';
    asked.push(address);
    const node = nodes[address.slice(0, address.lastIndexOf(':'))];
    if (node) return json(whoIsOf(node));
    reply.writeHead(404).end('no match for IP:port');
  });
  await new Promise<void>((listening) => server.listen(socketPath, listening));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(() => {
    close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { socketPath, nodes, asked, close };
};
