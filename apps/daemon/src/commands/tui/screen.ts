import { createInterface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { visible, visibleLines, type Clock } from '@drawbridge/kit';
import { createPaint, createRow } from '../../terminal/row.ts';
import { shorten } from '../../text/words.ts';
import { wrapLine } from '../../text/wrap.ts';
import type { Happening } from './chat.ts';
import type { View, ViewEvents } from './view.ts';

interface ScreenNeeds extends ViewEvents {
  input: ReadStream;
  output: WriteStream;
  clock: Clock;
  colours: boolean;
}

const prompt = '› ';
const secondMs = 1_000;

/** A transcript, and below it a status line and the line that is typed. */
export const createScreen = (needs: ScreenNeeds): View => {
  const { input, output, clock, colours, onLine, onInterrupt, onEnd } = needs;
  const paint = createPaint(colours);
  const row = createRow(colours);
  const rl = createInterface({ input, output, prompt, historySize: 200 });
  const columns = () => output.columns || 80;
  /** The last line of the answer, while it grows. */
  let partial = '';
  let session = '';
  let isConnected = false;
  let runningSince: number | null = null;
  let drawn = 0;

  const status = () => {
    const parts = [
      isConnected ? 'connected' : 'reconnecting',
      session,
      runningSince === null ? 'ready' : `working ${Math.floor((clock.now() - runningSince) / secondMs)} s`,
      runningSince === null ? '/help' : 'Ctrl-C stops it',
    ];
    return paint(isConnected ? 'gray' : 'yellow', shorten(`— ${visible(parts.join(' · '))}`, columns() - 1));
  };

  /** Removes what stands below the transcript; `typed` are the rows of the line that is typed. */
  const erase = (typed = rl.getCursorPos().rows) => {
    const up = drawn + typed;
    output.write(`\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`);
  };
  const draw = () => {
    const rows = [...(partial === '' ? [] : [partial]), status()];
    output.write(rows.map((one) => `${one}\n`).join(''));
    drawn = rows.length;
    // Readline would go up by the rows of the line that was erased.
    Reflect.set(rl, 'prevRows', 0);
    rl.prompt(true);
  };
  const put = (text: string, typed?: number) => {
    erase(typed);
    if (text !== '') output.write(`${text}\n`);
    draw();
  };

  const wrapped = (text: string) =>
    text
      .split('\n')
      .map((line) => wrapLine(line, columns() - 1))
      .join('\n');
  const flush = () => {
    const rest = partial;
    partial = '';
    return rest;
  };
  const print = (text: string) => {
    const rest = flush();
    put(rest === '' ? text : `${rest}\n${text}`);
  };
  const showText = (text: string) => {
    const lines = wrapped(partial + visibleLines(text)).split('\n');
    partial = lines.pop() ?? '';
    put(lines.join('\n'));
  };

  const show = (happening: Happening): void => {
    switch (happening.type) {
      case 'connected':
        isConnected = true;
        session = happening.sessionId;
        return happening.isAgain ? print(row('connected', 'again', 'green')) : put('');
      case 'away':
        isConnected = false;
        return print(row('away', 'the server does not answer; trying again', 'yellow'));
      case 'text':
        return showText(happening.text);
      case 'notice': {
        const { word, text } = happening;
        return print(
          wrapped(
            word === '' ? visibleLines(text) : row(word, shorten(visible(text), 2 * columns()), 'cyan'),
          ),
        );
      }
      case 'running':
        runningSince = happening.isRunning ? (runningSince ?? clock.now()) : null;
        return print('');
      case 'answered':
        return print(row('question', happening.state, 'cyan'));
      case 'ended':
        return happening.problem === null
          ? undefined
          : print(row('error', visible(happening.problem), 'red'));
      case 'question':
      case 'frame':
        return;
      default:
        happening satisfies never;
    }
  };

  rl.on('line', (line) => {
    const typed = Math.floor((prompt.length + line.length) / columns()) + 1;
    put(line.trim() === '' ? '' : paint('green', `${prompt}${visible(line)}`), typed);
    onLine(line);
  });
  rl.on('SIGINT', onInterrupt);
  rl.on('close', onEnd);
  const stopTicking = clock.every(secondMs, () => {
    if (runningSince !== null) put('');
  });
  draw();

  return {
    show,
    print,
    columns,
    close: () => {
      stopTicking();
      erase();
      const rest = flush();
      if (rest !== '') output.write(`${rest}\n`);
      rl.close();
    },
  };
};
