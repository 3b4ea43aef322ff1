import { toolScopes } from '@drawbridge/contracts/groups';
import {
  createPerson,
  freePort,
  owner as account,
  startServer,
  type Person,
  type Processes,
} from '../harness/index.ts';
import { startFixtureDaemon } from './fixture-daemon.ts';
import { suiteTools } from './suite-tools.ts';
import { startTokenProxy } from './token-proxy.ts';

/** A whole server with a machine that has the suite's tools, as the suite reaches it. */
export interface Target {
  /** Where it is reached. */
  origin: string;
  /** Of `/mcp`. */
  url: string;
  /** The owner, signed in at the origin. */
  person: Person;
  close(): Promise<void>;
}

export const startTarget = async (processes: Processes): Promise<Target> => {
  const port = await freePort();
  const server = await startServer(processes, { PUBLIC_URL: `http://127.0.0.1:${port}` });
  const owner = await server.createOwner();
  const link = await owner.api.gateway.createLink.mutate();
  const daemon = await startFixtureDaemon({ url: server.url, token: link.token, tools: suiteTools });
  const { token } = await owner.api.tokens.create.mutate({ name: 'conformance', scopes: [...toolScopes] });
  const proxy = await startTokenProxy({ port, upstream: server.url, token });
  const person = createPerson(proxy.url);
  await person.signIn(account);
  return {
    origin: proxy.url,
    url: `${proxy.url}/mcp`,
    person,
    close: async () => {
      daemon.close();
      await proxy.close();
    },
  };
};
