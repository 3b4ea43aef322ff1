/** What the probe tries inside the sandbox at each start, in words for the person. All of it must fail. */
export const sandboxTrials = [
  'writing outside the folder',
  "reading and writing drawbridge's own folder",
  'the network',
  'sockets of other programs',
  'shared memory of other programs',
  'kernel keys',
  'sockets to the host of a virtual machine',
  'namespaces and mounts of its own',
] as const;
