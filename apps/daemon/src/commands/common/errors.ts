import { createErrors } from '@drawbridge/kit';
import { ownCommand } from '../../program/own-command.ts';
import { pairInPanel } from './sentences.ts';

/** How the command line fails. Codes of wrong use (see `exitCodeOf`) exit with 2, all else with 1. */
export const errors = createErrors({
  notUndone: { code: 'NOT_UNDONE', message: 'The change could not be undone' },
  wrongUse: {
    code: 'WRONG_USE',
    message: 'The command was not understood',
    get fix() {
      return `See ${ownCommand('--help')}.`;
    },
  },
  notPaired: {
    code: 'WRONG_USE',
    message: 'This machine has no saved session',
    fix: pairInPanel,
  },
  alreadyRunning: { code: 'ALREADY_RUNNING', message: 'drawbridge is already running' },
  badFolder: {
    code: 'WRONG_USE',
    message: 'This folder cannot be used',
    fix: 'Pass another folder with --dir.',
  },
  tooWide: { code: 'FOLDER_TOO_WIDE', message: 'This folder cannot be shared' },
  notReadable: {
    code: 'FOLDER_REFUSED',
    message: 'Commands in the sandbox must not read this folder',
    fix: 'Name the folder that a command needs, as narrow as it can be.',
  },
  nothingAllowed: {
    code: 'NOTHING_ALLOWED',
    message: 'Every tool group is on deny, so there is nothing to offer',
    fix: 'Set one to ask or allow, for example --permission-filesystem-read allow.',
  },
  noService: {
    code: 'NO_SERVICE',
    message: 'A service needs systemd on Linux or launchd on macOS',
    get fix() {
      return `Start ${ownCommand('connect')} with the service manager of this system.`;
    },
  },
  stillRunning: {
    code: 'STILL_RUNNING',
    message: 'drawbridge is running',
    fix: 'Stop it with Ctrl-C where it runs, then run this command again.',
  },
  notRunning: {
    code: 'NOT_RUNNING',
    message: 'drawbridge is not running, so that no processes run',
    get fix() {
      return `Start it with ${ownCommand('connect')}.`;
    },
  },
  noAnswer: {
    code: 'NO_ANSWER',
    message: 'drawbridge is running and does not answer',
    fix: 'Use the panel.',
  },
  noPort: {
    code: 'NO_PROCESS',
    message: 'No process with this id runs that was started with this port',
    get fix() {
      return `${ownCommand('processes')} lists processes with their ports.`;
    },
  },
  noProcess: {
    code: 'NO_PROCESS',
    message: 'There is no process with this id',
    get fix() {
      return `${ownCommand('processes')} lists those that there are.`;
    },
  },
  notTaken: { code: 'NOT_TAKEN', message: 'The server did not accept this' },
  refused: {
    code: 'REFUSED',
    message: 'The server refused the access token',
    fix: 'Create an access token with the permission to chat by JSON-RPC (agent) in the panel, under Agents.',
  },
  declined: { code: 'DECLINED', message: 'Not connected: you answered no' },
});

const wrongUse = new Set(['WRONG_USE', 'NOT_A_RULE', 'FOLDER_TOO_WIDE']);

export const exitCodeOf = (code: string): 1 | 2 => (wrongUse.has(code) ? 2 : 1);
