import type { Clock } from '@drawbridge/kit';
import { createPanel } from './panel.ts';
import { signUpOwner, startServer, type Got } from './server.ts';

/** Status and body of an answer. */
export const seen = ({ status, json }: Got) => [status, json];
/** What every key that does not hold gets. */
export const forbidden = { code: 'FORBIDDEN', message: 'Forbidden' };

/** A server with its owner signed in and a pairing token that waits. */
export const paired = async (environment: Record<string, string> = {}, clock?: Clock) => {
  const server = await startServer({ environment, ...(clock && { clock }) });
  const cookie = await signUpOwner(server);
  const panel = createPanel(server, cookie);
  const { token } = await panel.gateway.createLink.mutate();
  return { server, cookie, panel, token };
};

/** What a machine says of itself at least. */
export const announcement = { rootPath: '/home/person', tools: [{ name: 'read_file', inputSchema: {} }] };
