/** System call numbers of one processor. Source: the kernel's tables. */
interface Numbers {
  audit: number;
  socket: number;
  socketpair: number;
  keys: number[];
  clone: number;
  unshare: number;
  /** setns, mount, umount2, pivot_root. */
  mounts: number[];
  /** Numbers from here on belong to another set of calls (x32). */
  end?: number;
}

const processors: Partial<Record<NodeJS.Architecture, Numbers>> = {
  x64: {
    ...{ audit: 0xc000003e, socket: 41, socketpair: 53, keys: [248, 249, 250], end: 0x40000000 },
    ...{ clone: 56, unshare: 272, mounts: [308, 165, 166, 155] },
  },
  arm64: {
    ...{ audit: 0xc00000b7, socket: 198, socketpair: 199, keys: [217, 218, 219] },
    ...{ clone: 220, unshare: 97, mounts: [268, 40, 39, 41] },
  },
};

/** open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr. */
const newMounts = [428, 429, 430, 431, 432, 433, 442, 467];
/** Its flags are in memory, where no filter reads them: without it the libraries use `clone`. */
const clone3 = 435;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const cloneNamespaces = 0x7e020000;
/** And CLONE_NEWTIME, which `clone` takes for a part of the signal. */
const unshareNamespaces = cloneNamespaces | 0x80;

/** `io_uring` opens sockets where no filter sees it; the same numbers on every processor. */
const uring = [425, 426, 427];
/** IPv4, IPv6 and netlink: all three end at the sandbox's own network, which leads nowhere. */
const openFamilies = [2, 10, 16];
const unix = 1;
const datagram = 2;
const typeMask = 0xf;

const notPermitted = 1;
const noSuchCall = 38;
const noSuchFamily = 97;

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];
/** A step that jumps names the labels; a step without any goes on to the next one. */
interface Step {
  code: number;
  value: number;
  then?: string;
  otherwise?: string;
  label?: string;
}

const load = (value: number, label?: string): Step => ({ code: 0x20, value, ...(label && { label }) });
const equal = (value: number, then: string): Step => ({ code: 0x15, value, then });
const atLeast = (value: number, then: string): Step => ({ code: 0x35, value, then });
const anyBit = (value: number, then: string): Step => ({ code: 0x45, value, then });
const refuse = (label: string, errno: number): Step => ({ code: 0x06, value: 0x00050000 | errno, label });

const assemble = (steps: Step[]): Buffer => {
  const places = new Map(steps.flatMap(({ label }, at) => (label === undefined ? [] : [[label, at]])));
  const distance = (label: string | undefined, from: number): number =>
    label === undefined ? 0 : (places.get(label) ?? 0) - from - 1;
  const bytes = Buffer.alloc(steps.length * 8);
  for (const [at, { code, value, then, otherwise }] of steps.entries()) {
    const [op, ifTrue, ifFalse, k]: Instruction = [code, distance(then, at), distance(otherwise, at), value];
    bytes.writeUInt16LE(op, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(k, at * 8 + 4);
  }
  return bytes;
};

/**
 * The filter for bubblewrap's `--seccomp`: IP and netlink sockets only, no kernel keys, no `io_uring`,
 * no namespaces, no mounts, no calls of another processor. Undefined for a processor without a table here.
 */
export const systemCallFilter = (processor: NodeJS.Architecture): Buffer | undefined => {
  const numbers = processors[processor];
  if (numbers === undefined) return undefined;
  const [callAt, processorAt, firstAt, secondAt] = [0, 4, 16, 24];
  return assemble([
    load(processorAt),
    { code: 0x15, value: numbers.audit, otherwise: 'unknown' },
    load(callAt),
    ...(numbers.end === undefined ? [] : [atLeast(numbers.end, 'unknown')]),
    ...[...uring, clone3].map((call) => equal(call, 'unknown')),
    ...[...numbers.keys, ...numbers.mounts, ...newMounts].map((call) => equal(call, 'forbidden')),
    equal(numbers.clone, 'clone'),
    equal(numbers.unshare, 'unshare'),
    equal(numbers.socket, 'socket'),
    equal(numbers.socketpair, 'pair'),
    { code: 0x06, value: 0x7fff0000, label: 'allowed' },
    load(firstAt, 'socket'),
    ...openFamilies.map((toolset) => equal(toolset, 'allowedSocket')),
    equal(unix, 'forbidden'),
    refuse('family', noSuchFamily),
    { code: 0x06, value: 0x7fff0000, label: 'allowedSocket' },
    // A pair of datagram sockets can be sent to any other socket that has a name.
    load(secondAt, 'pair'),
    { code: 0x54, value: typeMask },
    equal(datagram, 'forbidden'),
    { code: 0x06, value: 0x7fff0000 },
    load(firstAt, 'clone'),
    anyBit(cloneNamespaces, 'forbidden'),
    { code: 0x06, value: 0x7fff0000 },
    load(firstAt, 'unshare'),
    anyBit(unshareNamespaces, 'forbidden'),
    { code: 0x06, value: 0x7fff0000 },
    refuse('forbidden', notPermitted),
    refuse('unknown', noSuchCall),
  ]);
};
