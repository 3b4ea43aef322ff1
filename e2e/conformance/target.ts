import { toolGroups } from '@drawbridge/contracts/groups';
import { freePort, startServer, type Processes } from '../harness/index.ts';
import { startFixtureDaemon } from './fixture-daemon.ts';
import { suiteTools } from './suite-tools.ts';
import { startTokenProxy } from './token-proxy.ts';

/** A whole server with a machine that has the suite's tools, as the suite reaches it. */
export interface Target {
  /** Of `/mcp`. */
  url: string;
  close(): Promise<void>;
}

export const startTarget = async (processes: Processes): Promise<Target> => {
  const port = await freePort();
  const server = await startServer(processes, { PUBLIC_URL: `http://127.0.0.1:${port}` });
  const owner = await server.createOwner();
  const link = await owner.api.gateway.createLink.mutate();
  const daemon = await startFixtureDaemon({ url: server.url, token: link.token, tools: suiteTools });
  const { token } = await owner.api.tokens.create.mutate({ name: 'conformance', scopes: [...toolGroups] });
  const proxy = await startTokenProxy({ port, upstream: server.url, token });
  return {
    url: `${proxy.url}/mcp`,
    close: async () => {
      daemon.close();
      await proxy.close();
    },
  };
};
