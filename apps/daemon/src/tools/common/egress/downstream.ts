import type { OnReadOpts, Socket } from 'node:net';

const smallBytes = 64 * 1024;
const largeBytes = 256 * 1024;

/** Of each size, in one egress: 10 MiB together. */
const maxKept = 32;

/** Buffers on their way to one client; then its host is not read. */
const maxWaiting = 3;

/** Buffers that are used again. Beyond their number there are small ones that are not. */
export const createReadBuffers = () => {
  const free = new Map<number, Buffer[]>([
    [smallBytes, []],
    [largeBytes, []],
  ]);
  let made = 0;
  return {
    take: (isLarge: boolean): Buffer => {
      const size = isLarge ? largeBytes : smallBytes;
      const known = free.get(size)?.pop();
      if (known !== undefined) return known;
      if (!isLarge || made === maxKept) return Buffer.allocUnsafeSlow(smallBytes);
      made += 1;
      return Buffer.allocUnsafeSlow(largeBytes);
    },
    release: (buffer: Buffer | undefined) => {
      const kept = free.get(buffer?.length ?? 0);
      if (buffer !== undefined && kept !== undefined && kept.length < maxKept) kept.push(buffer);
    },
  };
};

export type ReadBuffers = ReturnType<typeof createReadBuffers>;

/**
 * What a host sends to a client. Reading into buffers that are used again takes about half the processor time
 * of `pipe`: the download in `bench/sandbox.md`.
 */
export const createDownstream = (client: Socket, buffers: ReadBuffers) => {
  let current: Buffer | undefined;
  let isLarge = false;
  let waiting = 0;
  let host: Socket | undefined;

  const onread: OnReadOpts = {
    buffer: () => (current = buffers.take(isLarge)),
    callback: (bytes) => {
      const filled = current;
      if (filled === undefined) return true;
      isLarge ||= bytes === filled.length;
      waiting += 1;
      client.write(filled.subarray(0, bytes), () => {
        waiting -= 1;
        buffers.release(filled);
        host?.resume();
      });
      return waiting < maxWaiting;
    },
  };
  return {
    /** For the connection to the host, which stays paused until `begin`. */
    onread,
    begin: (remote: Socket) => {
      host = remote;
      // It was not connected from here: a port of a process.
      if (current === undefined) {
        remote.pipe(client);
        return;
      }
      remote.once('end', () => client.end()).once('close', () => buffers.release(current));
      remote.resume();
    },
  };
};
