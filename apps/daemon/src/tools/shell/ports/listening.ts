import { readQuietly } from '../../../program/quiet-files.ts';

const listens = '0A';

/** Local port and state of each line of `/proc/<pid>/net/tcp`. */
const entry = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ ([0-9A-F]{2}) /gm;

/** TCP ports on which something listens in the network of a process, the lowest first. Linux. */
export const listeningPorts = (pid: number): number[] => {
  if (process.platform !== 'linux' || !Number.isInteger(pid) || pid <= 1) return [];
  const lines = ['tcp', 'tcp6']
    .map((name) => readQuietly(`/proc/${pid}/net/${name}`, 'latin1') ?? '')
    .join('\n');
  const ports = [...lines.matchAll(entry)].flatMap(([, port = '', state]) =>
    state === listens ? [Number.parseInt(port, 16)] : [],
  );
  return [...new Set(ports)].sort((one, other) => one - other);
};
