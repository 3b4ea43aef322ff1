import { protocolRevision } from '@drawbridge/contracts/daemon-info';
import type { Release } from '@drawbridge/contracts/release';
import { systemClock } from '@drawbridge/kit';
import { createServerApi, withServer } from '../../link/index.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';
import { errors } from '../common/errors.ts';
import { hostIdentifier } from '../common/identity.ts';
import { notPaired } from './show-link.ts';
import { askForToken } from './start-question.ts';

const checkMs = 20_000;

interface Given {
  url: URL;
  key: string;
  folder: string;
  release: Release;
  ask: boolean;
}

/**
 * Asks the server whether it accepts a typed key, before the person answers anything. Returns the key to
 * connect with: a server that does not know `check` has paired the machine. Throws `notTaken`.
 */
export const checkKey = async (given: Given, terminal: TerminalOutput): Promise<string> => {
  const { url, key, folder, release, ask } = given;
  const body = {
    rootPath: folder,
    tools: [],
    hostIdentifier: hostIdentifier(),
    daemon: { ...release, protocol: protocolRevision, features: [] },
    check: true,
  };
  const reply = await withServer(url, { clock: systemClock, withinMs: checkMs }, (http, signal) =>
    createServerApi(http, systemClock).init(key, body, signal),
  );
  if (reply.ok) return reply.value.sessionKey ?? key;
  const { failure } = reply;
  const isRefused = failure.kind === 'refused';
  // A server that fails or is away may come back; only a pairing that never worked ends here.
  if (!isRefused && (failure.kind === 'server-error' || !key.startsWith('gw_'))) return key;
  const [message, fix] = notPaired(url, failure);
  if (!isRefused || !ask) throw errors.notTaken({ message, fix });
  terminal.problem(message, fix);
  const other = await askForToken();
  if (other === null) throw errors.declined();
  return checkKey({ ...given, key: other }, terminal);
};
