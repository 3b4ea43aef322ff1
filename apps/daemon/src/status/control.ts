import { chmod, open as openFile, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  processesBody,
  localProcessesQuery,
  type ProcessesBody,
  type LocalProcessesQuery,
} from '@drawbridge/contracts/machines/processes';
import { journalFolder } from '../journal/index.ts';
import { parseJson } from '../text/parse-json.ts';
import { readStatus } from './read-status.ts';
import type { DaemonStatus } from './status.ts';

const maxQueryChars = 4_096;
const maxAnswerChars = 4 * 1024 * 1024;
const socketName = 'control';

/** A path of a socket has room for some 100 bytes: on Linux the folder is named by its descriptor. */
const withSocketPath = async <T>(folder: string, use: (path: string) => Promise<T>) => {
  if (process.platform !== 'linux')
    return { value: await use(join(folder, socketName)), release: async () => {} };
  const handle = await openFile(folder, 'r');
  try {
    return { value: await use(`/proc/self/fd/${handle.fd}/${socketName}`), release: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** The text of a peer until the line ends; undefined where it is longer, or the peer goes away before. */
const readLine = (socket: Socket, maxChars: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(undefined));
    socket.on('data', (chunk) => {
      text += String(chunk);
      const end = text.indexOf('\n');
      if (end !== -1) resolve(text.slice(0, end));
      else if (text.length > maxChars) resolve(undefined);
    });
  });

/**
 * Answers the commands of this user on a socket in the folder of a locked journal: one query and one answer,
 * each a line of JSON. Gives what closes it.
 */
export const openControl = async (
  folder: string,
  answer: (query: LocalProcessesQuery) => Promise<ProcessesBody>,
): Promise<() => Promise<void>> => {
  if (process.platform === 'win32') return async () => {};
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    const serve = async () => {
      const query = parseJson(localProcessesQuery, await readLine(socket, maxQueryChars));
      if (query === undefined) socket.destroy();
      else socket.end(`${JSON.stringify(await answer(query))}\n`);
    };
    void serve().catch(() => socket.destroy());
  });
  server.maxConnections = 16;
  // Of a daemon that ended without closing it; the journal's lock says that none runs.
  await rm(join(folder, socketName), { force: true });
  const { release } = await withSocketPath(
    folder,
    (path) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      }),
  );
  await chmod(join(folder, socketName), 0o600);
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of open) socket.destroy();
    await closed;
    await release();
  };
};

const ask = async (folder: string, query: LocalProcessesQuery): Promise<ProcessesBody | undefined> => {
  const { value, release } = await withSocketPath(folder, async (path) => {
    const socket = connect(path);
    const answered = readLine(socket, maxAnswerChars);
    socket.write(`${JSON.stringify(query)}\n`);
    const body = parseJson(processesBody, await answered);
    socket.destroy();
    return body;
  });
  await release();
  return value;
};

/** The answers of this user's daemons that run now; undefined for one that does not answer. */
export const askDaemons = async (
  privateFolder: string,
  query: LocalProcessesQuery,
): Promise<{ status: DaemonStatus; body: ProcessesBody | undefined }[]> => {
  const base = journalFolder(privateFolder);
  const names = await readdir(base).catch(() => []);
  const answers = await Promise.all(
    names.map(async (name) => {
      const folder = join(base, name);
      const status = await readStatus(folder);
      return status === null ? [] : [{ status, body: await ask(folder, query) }];
    }),
  );
  return answers.flat();
};
