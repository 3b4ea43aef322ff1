import { terminalStart } from '../terminal/terminal.ts';
import { startingVariable, tagVariable } from '../../../processes/process-tree.ts';

/** Limits of one process of a command; `processes` counts all of the command's. */
export const shellLimits = {
  openFiles: 4_096,
  fileBlocks: 8 * 1024 * 1024,
  memoryKiB: 8 * 1024 * 1024,
  processes: 4_096,
} as const;

/** The pipe on which the prelude says that it refuses; closed before the command starts. */
export const refusalFile = 3;
/** Where the daemon's channel is while the listeners of a command are handed out; closed before it starts. */
export const channelFile = 6;
/** The listeners could not be handed out. */
const handOutCode = 125;
const refusalText = 'refused';
const refusalCode = 126;

/**
 * Runs before the command, in its process: checks the folder and sets limits. The command comes in the
 * environment, so that no text of it is ever part of a script of ours.
 */
export const prelude = `
set -- $(command -p ls -di . 2> /dev/null)
if [ "$(pwd -P)" != "$DRAWBRIDGE_FOLDER" ] || [ "$1" != "$DRAWBRIDGE_INODE" ]; then
  printf %s ${refusalText} >&${refusalFile}
  exit ${refusalCode}
fi
if [ -n "$DRAWBRIDGE_HAND_OUT" ]; then
  "$DRAWBRIDGE_NODE" "$DRAWBRIDGE_HAND_OUT" $DRAWBRIDGE_PORTS > /dev/null 2>&1 || exit ${handOutCode}
  exec ${channelFile}>&-
fi
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE DRAWBRIDGE_HAND_OUT DRAWBRIDGE_PORTS
exec ${refusalFile}>&-
{
  echo 1000 > /proc/self/oom_score_adj
  ulimit -c 0
  ulimit -n ${shellLimits.openFiles}
  ulimit -f ${shellLimits.fileBlocks}
  ulimit -d ${shellLimits.memoryKiB}
  ulimit -u ${shellLimits.processes} || ulimit -p ${shellLimits.processes}
} 2> /dev/null
set -- "$DRAWBRIDGE_COMMAND"
${tagVariable}=$${startingVariable}
export ${tagVariable}
unset DRAWBRIDGE_FOLDER DRAWBRIDGE_INODE DRAWBRIDGE_COMMAND ${startingVariable}
if [ -n "$DRAWBRIDGE_RELAY" ]; then
  ( "$DRAWBRIDGE_NODE" "$DRAWBRIDGE_RELAY" < /dev/null > /dev/null 2>&1 & )
fi
unset DRAWBRIDGE_NODE DRAWBRIDGE_RELAY
if [ -n "$DRAWBRIDGE_TERMINAL" ]; then
  DRAWBRIDGE_COMMAND=$1
  set -- "$DRAWBRIDGE_SCRIPT"
  export DRAWBRIDGE_COMMAND
  unset DRAWBRIDGE_SCRIPT
  exec "$1" -q -e -f -E always -c '${terminalStart}' /dev/null
fi
exec /bin/sh -c "$1"
`;

export interface Started {
  /** A real path, and the number of the folder that stood there when it was opened. */
  folder: string;
  inode: bigint;
  tag: string;
  text: string;
}

/** What the prelude needs. */
export const preludeEnvironment = ({ folder, inode, tag, text }: Started) => ({
  DRAWBRIDGE_FOLDER: folder,
  DRAWBRIDGE_INODE: String(inode),
  DRAWBRIDGE_COMMAND: text,
  [startingVariable]: tag,
});

/** Whether the folder was another one, so that nothing of the command ran. */
export const isRefusal = (said: string, exitCode: number | null): boolean =>
  said === refusalText && exitCode === refusalCode;
