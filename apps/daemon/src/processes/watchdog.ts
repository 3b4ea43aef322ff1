import { signalChild } from '@drawbridge/kit';
import { spawn } from 'node:child_process';
import { tagVariable } from './process-tree.ts';

/**
 * Waits until its input ends, which it does with the daemon. Then: TERM for the group and all tagged
 * processes, and KILL 2 s later. Without /proc, the group only.
 */
const script = `
read -r _
end() {
  kill -"$1" -- "-$GROUP" 2>/dev/null
  for at in /proc/[0-9]*; do
    grep -zqxF -- "$TAG" "$at/environ" 2>/dev/null && kill -"$1" "\${at#/proc/}" 2>/dev/null
  done
}
end TERM
sleep 2
end KILL
`;

/** Ends a process tree should the daemon end without doing it itself. The returned function calls it off. */
export const watchTree = (tree: { group: number; tag: string }): (() => void) => {
  if (process.platform === 'win32') return () => {};
  const watchdog = spawn('/bin/sh', ['-c', script], {
    env: { PATH: '/usr/bin:/bin', GROUP: String(tree.group), TAG: `${tagVariable}=${tree.tag}` },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.on('error', () => {});
  watchdog.stdin.on('error', () => {});
  return () => {
    // Before its input ends, which would set it off.
    signalChild(watchdog, 'SIGKILL');
    watchdog.stdin.destroy();
  };
};
