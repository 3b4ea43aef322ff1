import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { readQuietly } from '../../../program/quiet-files.ts';
import { errors } from '../../common/errors.ts';
import { openForPerson } from './person-port.ts';
import { createPortRelay, portLimits } from './port-relay.ts';
import { mayHavePort } from './sandbox-ports.ts';

export const portsInput = {
  ports: z
    .array(z.number().int().min(1).max(65_535))
    .max(portLimits.atOnce)
    .optional()
    .describe(
      "TCP ports on which it listens, such as [5173] (default: none). The agent's browser then opens http://<process>.localhost:5173",
    ),
};

/** Each once, the lowest first. Throws `badArguments`. */
export const readPorts = (ports: readonly number[] = []): number[] => {
  const closed = ports.find((port) => !mayHavePort(port));
  if (closed !== undefined)
    throw errors.badArguments({ message: `ports: ${closed} is a port that a command cannot have` });
  return [...new Set(ports)].sort((one, other) => one - other);
};

/** "its port 5173", "its ports 3000 and 5173". */
export const portWords = (ports: readonly number[]): string =>
  ports.length === 1
    ? `its port ${ports[0]}`
    : `its ports ${ports.slice(0, -1).join(', ')} and ${ports.at(-1)}`;

type PersonPort = Awaited<ReturnType<typeof openForPerson>>;

/** The ports that a process was started with, for the agent's browser and for the person. */
export const createProcessPorts = (
  ports: readonly number[],
  needs: { clock: Clock; ownPorts: Set<number> },
) => {
  const relay = createPortRelay(needs.clock);
  const opened = new Map<number, Promise<PersonPort>>();
  let isClosed = false;
  const open = async (port: number) => {
    const own = await openForPerson(relay, port, needs.ownPorts);
    if (isClosed) own.close();
    return own;
  };
  return {
    ports,
    relay,
    connect: relay.connect,
    bytes: relay.bytes,
    /** The port of this machine that leads to it until the process ends. */
    openForPerson: async (port: number): Promise<number> => {
      const opening = opened.get(port) ?? open(port);
      opened.set(port, opening);
      return (await opening).port;
    },
    close: () => {
      isClosed = true;
      relay.close();
      for (const opening of opened.values()) void opening.then((own) => own.close());
    },
  };
};

export type ProcessPorts = ReturnType<typeof createProcessPorts>;

const listens = '0A';

/** Local port and state of each line of `/proc/<pid>/net/tcp`. */
const entry = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ ([0-9A-F]{2}) /gm;

const readNet = (pid: number, names: readonly string[]): string =>
  names.map((name) => readQuietly(`/proc/${pid}/net/${name}`, 'latin1') ?? '').join('\n');

const hasSockets = /^TCP6?: inuse [1-9]/m;

/** TCP ports on which a program listens in the network of a process, the lowest first. Linux. */
export const listeningPorts = (pid: number): number[] => {
  if (process.platform !== 'linux' || !Number.isInteger(pid) || pid <= 1) return [];
  // To list them the kernel goes through a table of the whole machine, which takes milliseconds.
  const counts = readNet(pid, ['sockstat', 'sockstat6']);
  if (counts.includes('TCP: inuse') && !hasSockets.test(counts)) return [];
  const lines = readNet(pid, ['tcp', 'tcp6']);
  const ports = [...lines.matchAll(entry)].flatMap(([, port = '', state]) =>
    state === listens ? [Number.parseInt(port, 16)] : [],
  );
  return [...new Set(ports.filter(mayHavePort))].sort((one, other) => one - other);
};
