import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeWith } from '../../../../../../e2e/services.ts';
import { runAs, testUsers } from '../../../../test/support/shell-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';

/** Prints what a command could do after all. The kernel answers an open call with bad arguments otherwise. */
const systemCalls = `
import ctypes, os, platform, signal
c = ctypes.CDLL(None, use_errno=True)
c.syscall.restype = ctypes.c_long
x64 = platform.machine() == 'x86_64'
user, ns = 0x10000000, [0x20000, 0x80, 0x02000000, 0x04000000, 0x08000000, 0x20000000, 0x40000000]
EPERM, ENOSYS = 1, 38
def call(name, number, expected, *args):
  ctypes.set_errno(0)
  result = c.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
  if result == 0 and name.startswith('clone'): os._exit(0)
  if result != -1 or ctypes.get_errno() != expected: print(name, result, ctypes.get_errno())
call('unshare', 272 if x64 else 97, EPERM, user)
call('unshare with high bits', 272 if x64 else 97, EPERM, user | 0x100000000)
for one in ns: call('unshare %x' % one, 272 if x64 else 97, EPERM, one)
call('clone', 56 if x64 else 220, EPERM, user | signal.SIGCHLD, 0, 0, 0, 0)
call('clone with high bits', 56 if x64 else 220, EPERM, user | signal.SIGCHLD | 0x100000000, 0, 0, 0, 0)
call('clone3', 435, ENOSYS, (ctypes.c_uint64 * 11)(user, 0, 0, 0, signal.SIGCHLD), 88)
call('setns', 308 if x64 else 268, EPERM, os.open('/proc/self/ns/user', os.O_RDONLY), user)
call('mount', 165 if x64 else 40, EPERM, 0, 0, 0, 0, 0)
call('umount', 166 if x64 else 39, EPERM, 0, 0)
call('pivot_root', 155 if x64 else 41, EPERM, 0, 0)
call('open_tree', 428, EPERM, -100, b'/', 0)
for number in (429, 430, 431, 432, 433, 442, 467): call(str(number), number, EPERM, -1, 0, -1, 0, -1)
try: open('/proc/1/mem', 'r+b', buffering=0); writable = True
except OSError: writable = False
filters = {open('/proc/%s/status' % p).read().split('Seccomp:')[1].split()[0] for p in os.listdir('/proc') if p.isdigit()}
if filters != {'2'}: print('a process without the filter', sorted(filters), 'and its memory can be written' if writable else '')
for line in open('/proc/self/mountinfo'):
  fields = line.split()
  if ' - cgroup' not in line: continue
  try: open(fields[4] + '/cgroup.procs', 'a').write('0'); print('joined', fields[4])
  except OSError: pass
`;

const programs = [
  `unshare -UrCm sh -c 'mkdir -p /tmp/c; mount -t cgroup2 none /tmp/c' && echo a cgroup file system`,
  `unshare -Urm sh -c 'mount -t tmpfs none /mnt' && echo a mount`,
  'unshare -U true && echo a user namespace',
  'unshare -Ur --fork --pid true && echo a namespace of processes',
  'unshare -Urn true && echo a network',
  'bwrap --ro-bind / / true && echo a sandbox in the sandbox',
  'nsenter --user=/proc/1/ns/user true && echo a namespace of another process',
];

const ended = z.object({ stdout: z.string(), exitCode: z.number() });

describeWith('bubblewrap', 'python3')('NG-40 a command makes no namespace and mounts nothing', () => {
  it.each(testUsers)('as the user %i', { timeout: 60_000 }, async (uid) => {
    const folders = makeFolders();
    writeFileSync(join(folders.root, 'calls.py'), systemCalls);
    // Threads and processes, which glibc starts with clone3 where it can.
    const honest = `/usr/bin/python3 -c 'import threading, subprocess; t = threading.Thread(target=print, args=("thread",)); t.start(); t.join(); print(subprocess.run(["echo", "process"], capture_output=True).stdout)'`;
    const text = [...programs, '/usr/bin/python3 calls.py', honest].join('\n');
    const { stdout, exitCode } = ended.parse(JSON.parse(await runAs(uid, folders, text)));
    expect({ stdout, exitCode }).toEqual({ stdout: "thread\nb'process\\n'\n", exitCode: 0 });
  });
});
