import type { Command } from 'commander';
import type { AnswerWith } from './common/command.ts';
import { addCache } from './sandbox/cache.ts';
import { addDisconnect } from './disconnect.ts';
import { addDoctor } from './doctor.ts';
import { addLogs } from './logs.ts';
import { addInstall } from './installation/install.ts';
import { addMcp } from './mcp.ts';
import { addPermissions } from './permissions/permissions-command.ts';
import { addPair } from './pair.ts';
import { addProcesses } from './processes.ts';
import { addRuntimes } from './runtimes.ts';
import { addSandbox } from './sandbox/sandbox.ts';
import { addService } from './installation/service.ts';
import { addStatus } from './status.ts';
import { addTools } from './tools.ts';
import { addTui } from './tui/tui.ts';
import { addUndo } from './undo.ts';
import { addUninstall } from './installation/uninstall.ts';
import { addUpdate } from './installation/update.ts';

const addCommands = [
  addPair,
  addInstall,
  addUpdate,
  addUninstall,
  addDisconnect,
  addStatus,
  addTools,
  addLogs,
  addDoctor,
  addService,
  addPermissions,
  addSandbox,
  addCache,
  addProcesses,
  addUndo,
  addMcp,
  addRuntimes,
  addTui,
];

/** All commands but `connect`, in the order of the help. */
export const addOtherCommands = (program: Command, answer: AnswerWith): void => {
  for (const add of addCommands) add(program, answer);
};
