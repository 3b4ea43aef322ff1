import { personCallerId } from '@drawbridge/contracts/daemon-event';
import {
  processLimits,
  type ProcessesBody,
  type LocalProcessesQuery,
  type ProcessList,
  type ShownProcess,
} from '@drawbridge/contracts/machines/processes';
import { cutText } from '@drawbridge/kit';
import { errors } from '../../common/errors.ts';
import { plainOutput } from './output.ts';
import type { Process } from './process.ts';
import type { Processes } from './registry.ts';

const person = { id: personCallerId, name: '' };

const toShown = (process: Process): ShownProcess => {
  const { id, command, folder, hosts, ports, owner, startedAt } = process;
  const end = process.end();
  const waits = process.waits();
  const signal = process.signalName();
  return {
    id,
    command: cutText(command, processLimits.maxCommandLength),
    folder,
    hosts: [...hosts],
    ...(ports.length > 0 && { ports: [...ports] }),
    owner: owner?.name ?? '',
    startedAt: new Date(startedAt).toISOString(),
    ...(waits !== undefined && { waits }),
    end:
      end === undefined
        ? null
        : {
            cause: end.cause,
            exitCode: end.exitCode,
            ...(signal !== undefined && { signal }),
            at: new Date(end.at).toISOString(),
          },
  };
};

const outputOf = (process: Process): string => {
  const { output } = process;
  const { text } = output.read(output.end() - processLimits.maxShownOutput);
  return plainOutput(text);
};

const list = (processes: Processes, show: string | undefined): ProcessList => {
  const all = processes.list(person).toReversed().slice(0, processLimits.maxShown);
  const shown = all.find(({ id }) => id === show);
  return {
    processes: all.map(toShown),
    ...(shown && { output: { process: shown.id, text: outputOf(shown) } }),
  };
};

/** Answers the person, who sees and ends the processes of every caller; never rejects. */
export const answerProcessesQuery = async (
  processes: Processes,
  query: LocalProcessesQuery,
): Promise<ProcessesBody> => {
  switch (query.type) {
    case 'list':
      return list(processes, query.show);
    case 'stop': {
      const process = processes.list(person).find(({ id }) => id === query.process);
      if (process === undefined) return { refused: 'unknown', message: errors.unknownProcess().message };
      process.stop('user');
      await process.done;
      return list(processes, process.id);
    }
    case 'open': {
      const process = processes.list(person).find(({ id }) => id === query.process);
      const { port } = query;
      if (process?.opened === undefined || process.end() !== undefined || !process.ports.includes(port))
        return { refused: 'unknown', message: errors.unknownPort().message };
      const here = await process.opened.openForPerson(port);
      const opened = { process: process.id, port, url: `http://${process.id}.localhost:${here}` };
      return { ...list(processes, undefined), opened };
    }
    case 'type': {
      const process = processes.list(person).find(({ id }) => id === query.process);
      if (process === undefined || process.end() !== undefined)
        return { refused: 'unknown', message: errors.unknownProcess().message };
      process.write(`${query.text}\n`, { ends: false });
      return list(processes, undefined);
    }
    default:
      return query satisfies never;
  }
};
