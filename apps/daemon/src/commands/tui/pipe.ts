import { createInterface } from 'node:readline';
import { visible, visibleLines } from '@drawbridge/kit';
import { row } from '../../terminal/row.ts';
import type { Happening } from './chat.ts';
import type { View, ViewEvents } from './view.ts';

interface PipeNeeds extends ViewEvents {
  /** Undefined: no lines are read. */
  input: NodeJS.ReadableStream | undefined;
  write(text: string): void;
  note(text: string): void;
  json: boolean;
}

/** Lines in, plain lines out: the answers on stdout, all else on stderr. With `json` each event as one line. */
export const createPipe = ({ input, write, note, json, onLine, onEnd }: PipeNeeds): View => {
  const lines = input && createInterface({ input, crlfDelay: Infinity });
  lines?.on('line', onLine).on('close', onEnd);
  let isInLine = false;

  const endLine = () => {
    if (isInLine) write('\n');
    isInLine = false;
  };
  const showText = (text: string) => {
    write(visibleLines(text));
    isInLine = !text.endsWith('\n');
  };

  const showPlain = (happening: Happening) => {
    switch (happening.type) {
      case 'text':
        return showText(happening.text);
      case 'notice':
        if (happening.word === '') return write(`${visibleLines(happening.text)}\n`);
        return note(row(happening.word, visible(happening.text)));
      case 'away':
        return note(row('away', 'the server does not answer; trying again'));
      case 'connected':
        return happening.isAgain ? note(row('connected', 'again')) : undefined;
      case 'ended':
        endLine();
        return happening.problem === null ? undefined : note(row('error', visible(happening.problem)));
      case 'answered':
        return note(row('question', happening.state));
      case 'question':
      case 'running':
      case 'frame':
        return;
      default:
        happening satisfies never;
    }
  };

  return {
    show: (happening) => {
      if (!json) return showPlain(happening);
      if (happening.type === 'frame') write(`${JSON.stringify(happening.frame)}\n`);
      if (happening.type === 'ended')
        write(`${JSON.stringify({ ended: true, problem: happening.problem })}\n`);
    },
    print: note,
    columns: () => undefined,
    close: () => {
      endLine();
      lines?.close();
    },
  };
};
