import { Duplex } from 'node:stream';
import { connect as startTls } from 'node:tls';

/** The first bytes of a TLS client that asks for this name. */
export const helloFor = (servername?: string): Promise<Buffer> =>
  new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (chunk: Buffer) => resolve(chunk) });
    startTls({ socket: wire, ...(servername !== undefined && { servername }) }).on('error', () => undefined);
  });

export const splitAt = (bytes: Buffer, at: number) => [bytes.subarray(0, at), bytes.subarray(at)];

/** The same handshake in two records. */
export const inTwoRecords = (hello: Buffer, at: number): Buffer => {
  const body = hello.subarray(5);
  const record = (part: Buffer) =>
    Buffer.concat([Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part]);
  return Buffer.concat(splitAt(body, at).map(record));
};
