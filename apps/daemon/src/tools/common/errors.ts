import { changedSinceText } from '@drawbridge/contracts/machines/undo-change';
import { createErrors } from '@drawbridge/kit';
import { pathErrors } from '../../paths/errors.ts';

/** Why a tool refuses or fails. The caller gets the message as the text of the result. */
export const errors = {
  ...pathErrors,
  ...createErrors({
    unknownTool: { code: 'UNKNOWN_TOOL', message: 'This machine does not offer this tool' },
    tooManyCalls: {
      code: 'TOO_MANY_CALLS',
      message: 'Too many calls wait on this machine; try again when some have ended',
    },
    badArguments: { code: 'BAD_ARGUMENTS', message: 'The arguments are not valid' },
    exists: { code: 'EXISTS', message: 'Something already exists at this path' },
    isRoot: {
      code: 'IS_ROOT',
      message: 'The folder that the tools work in cannot be deleted, moved or replaced',
    },
    binary: {
      code: 'BINARY',
      message: 'This is a binary file; only text and PNG, JPEG, GIF and WebP pictures can be read',
    },
    notKept: {
      code: 'NOT_KEPT',
      message:
        'Nothing is kept of this change: it is older than 7 days, larger than 50 MiB, was made by a command, or changed nothing',
    },
    undoTooLarge: {
      code: 'UNDO_TOO_LARGE',
      message: 'One undo writes at most 100 files and folders: undo fewer changes at once',
    },
    changedSince: {
      code: 'CHANGED_SINCE',
      message: changedSinceText,
    },
    noMatch: { code: 'NO_MATCH', message: 'oldString does not occur in the file' },
    cannotActivate: { code: 'CANNOT_ACTIVATE', message: 'This group cannot be switched on' },
    notGranted: { code: 'NOT_GRANTED', message: 'Access denied: this is not what was allowed' },
    questionClosed: {
      code: 'QUESTION_CLOSED',
      message:
        'The question of the MCP server is not open any more: the call that it belonged to has ended, and may have run in part',
    },
    actionClosed: {
      code: 'QUESTION_CLOSED',
      message: 'The turn of the coding agent that asked for this has ended: nothing was done',
    },
    computerFailed: { code: 'COMPUTER_FAILED', message: 'The display does not answer' },
    tooManyPipes: {
      code: 'TOO_MANY_PIPES',
      message:
        'The shared folder has more than 200 named pipes and sockets, which a sandbox has to cover one by one, so the command was not run. Remove those that no program uses',
    },
    notFailedInside: {
      code: 'NOT_FAILED_INSIDE',
      message:
        'Only a command that failed in the sandbox because of it, in the last 10 minutes, can be asked about outside of it: run exactly this command with shell_execute first',
    },
    deniedOutside: {
      code: 'NOT_GRANTED',
      message: 'Access denied: the user has refused to run this command outside of the sandbox',
    },
    sandboxFailed: {
      code: 'SANDBOX_FAILED',
      message: 'The sandbox could not be prepared, so the command was not run',
    },
    noNetwork: {
      code: 'SANDBOX_FAILED',
      message: 'The network of the command could not be opened, so the command was not run',
    },
    unknownProcess: {
      code: 'UNKNOWN_PROCESS',
      message: 'You have no process with this id; process_list gives those that you have',
    },
    unknownPort: {
      code: 'UNKNOWN_PROCESS',
      message:
        'No process of yours that runs was started with this port: give it in `ports` of process_start, and open http://<process>.localhost:<port>',
    },
    tooManyProcesses: {
      code: 'TOO_MANY_PROCESSES',
      message:
        'Too many processes run: 8 on a machine, and 4 of one caller. Stop one of them, or run the command with shell_execute',
    },
    noTerminal: {
      code: 'SANDBOX_FAILED',
      message:
        'A terminal needs the program script, which is not installed (Debian, Ubuntu: apt install bsdutils; Fedora, Arch: util-linux), so the command was not run',
    },
    inputRefused: { code: 'INPUT_REFUSED', message: 'The process takes no input' },
    asksForPassword: {
      code: 'INPUT_REFUSED',
      message:
        'The program asks for a password, which is not for an agent to type. The user can type it with drawbridge processes type <process>, in a terminal of this machine',
    },
    badAddress: {
      code: 'BAD_ADDRESS',
      message:
        'This address cannot be opened: only http and https, without a user name in it, and no address of a special kind',
    },
    browserFailed: { code: 'BROWSER_FAILED', message: 'The browser could not be started' },
    browserSlow: { code: 'BROWSER_SLOW', message: 'The browser took longer than 90 s; its tab was closed' },
    diskError: { code: 'DISK_ERROR', message: 'The disk refused' },
  }),
};
