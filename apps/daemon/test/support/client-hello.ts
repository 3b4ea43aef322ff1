import { Duplex } from 'node:stream';
import { connect as startTls } from 'node:tls';

/** The first bytes of a TLS client that asks for this name. */
export const helloFor = (servername?: string): Promise<Buffer> =>
  new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (chunk: Buffer) => resolve(chunk) });
    startTls({ socket: wire, ...(servername !== undefined && { servername }) }).on('error', () => undefined);
  });

const block = (bytes: Buffer, lengthBytes: number): Buffer => {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(bytes.length, 0, lengthBytes);
  return Buffer.concat([length, bytes]);
};

/** A hello that says just this; every field can be another one. */
export const helloOf = ({
  names = ['good.test'],
  kind = 0,
  afterNames = '',
  afterExtensions = '',
  type = 1,
  version = 3,
}: {
  names?: string[];
  kind?: number;
  afterNames?: string;
  afterExtensions?: string;
  type?: number;
  version?: number;
} = {}): Buffer => {
  const list = names.map((name) => Buffer.concat([Buffer.from([kind]), block(Buffer.from(name), 2)]));
  const content = Buffer.concat([block(Buffer.concat(list), 2), Buffer.from(afterNames)]);
  const extensions = Buffer.concat([Buffer.from([0, 0]), block(content, 2)]);
  const body = Buffer.concat([
    Buffer.alloc(2 + 32, 3),
    ...[Buffer.alloc(0), Buffer.from([0x13, 1]), Buffer.from([0])].map((one, at) =>
      block(one, at === 1 ? 2 : 1),
    ),
    block(extensions, 2),
    Buffer.from(afterExtensions),
  ]);
  const message = Buffer.concat([Buffer.from([type]), block(body, 3)]);
  return Buffer.concat([Buffer.from([0x16, version, 1]), block(message, 2)]);
};

export const splitAt = (bytes: Buffer, at: number) => [bytes.subarray(0, at), bytes.subarray(at)];

/** The same handshake in two records. */
export const inTwoRecords = (hello: Buffer, at: number): Buffer => {
  const body = hello.subarray(5);
  const record = (part: Buffer) =>
    Buffer.concat([Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part]);
  return Buffer.concat(splitAt(body, at).map(record));
};
