import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import { commandWords, textWords } from '../../common/question-words.ts';

/** A process with hosts that runs beside a command. */
export interface Beside {
  id: string;
  command: string;
  hosts: readonly string[];
  isOf(caller: RequestCaller | undefined): boolean;
}

const maxHosts = 3;

const hostWords = (hosts: readonly string[]): string => {
  const more = hosts.length > maxHosts ? ` and ${hosts.length - maxHosts} more` : '';
  return hosts.slice(0, maxHosts).map(textWords).join(', ') + more;
};

/**
 * Sentences in a command's question about processes that can send what it writes. Callers read the question
 * too, so a process of another caller is named by its id alone.
 */
export const besidesWords = (all: readonly Beside[], caller: RequestCaller | undefined): string =>
  all
    .map(({ id, command, hosts, isOf }) => {
      const what = isOf(caller)
        ? `${id} (${commandWords(command)}) can send to ${hostWords(hosts)}`
        : `${id}, a process of another caller, can send to its hosts`;
      return `. Meanwhile ${what} what this command writes into the folder`;
    })
    .join('');
