const address = 0x400000;
const headerBytes = 64 + 56;

/**
 * Exit code, a sum: 1 kernel keys readable, 2 VSOCK can be opened, 4 keys can be made, 8 keys requested,
 * 16 user namespaces can be made, 32 `clone3` or `mount` are there.
 */
const instructions = [
  'bb00000000', // ebx = 0
  'b8fa000000 31ff befdffffff 31d2 0f05 85c0 7803 83cb01', // keyctl(KEYCTL_GET_KEYRING_ID, session)
  'b829000000 bf28000000 be01000000 31d2 0f05 85c0 7803 83cb02', // socket(AF_VSOCK, SOCK_STREAM, 0)
  'b8f8000000 31ff 31f6 31d2 4531d2 4531c0 0f05 83f8f2 7503 83cb04', // add_key: EFAULT where it is open
  'b8f9000000 31ff 31f6 31d2 4531d2 0f05 83f8f2 7503 83cb08', // request_key with nothing
  // clone(CLONE_NEWUSER | SIGCHLD), where the child ends at once
  'b838000000 bf11000010 31f6 31d2 4531d2 4531c0 0f05 85c0 7509 b83c000000 31ff 0f05 7803 83cb10',
  'b810010000 bf00000010 0f05 85c0 7503 83cb10', // unshare(CLONE_NEWUSER)
  'b8b3010000 31ff 31f6 0f05 83f8da 7403 83cb20', // clone3: ENOSYS where it is refused
  'b8a5000000 31ff 31f6 31d2 4531d2 4531c0 0f05 83f8f2 7503 83cb20', // mount: EFAULT where open
  'b83c000000 89df 0f05', // exit(ebx)
];

/** A program for x64 that makes the system calls that Node cannot make; undefined for other processors. */
export const callTrial = (processor: NodeJS.Architecture): Buffer | undefined => {
  if (processor !== 'x64') return undefined;
  const code = Buffer.from(instructions.join('').replaceAll(' ', ''), 'hex');
  const file = Buffer.alloc(headerBytes);
  file.write('\x7fELF\x02\x01\x01', 'latin1');
  file.writeUInt16LE(2, 16);
  file.writeUInt16LE(62, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(address + headerBytes), 24);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(64, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  // One segment, to be read and run: the whole file.
  file.writeUInt32LE(1, 64);
  file.writeUInt32LE(5, 68);
  file.writeBigUInt64LE(BigInt(address), 80);
  file.writeBigUInt64LE(BigInt(address), 88);
  file.writeBigUInt64LE(BigInt(headerBytes + code.length), 96);
  file.writeBigUInt64LE(BigInt(headerBytes + code.length), 104);
  file.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([file, code]);
};
