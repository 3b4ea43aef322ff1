import { createInterface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { visible, visibleLines, type Clock } from '@drawbridge/kit';
import { createPaint, createRow } from '../../terminal/row.ts';
import { shorten } from '../../text/words.ts';
import { wrapText } from '../../text/wrap.ts';
import type { Happening } from './session-events.ts';
import { createTranscript } from './transcript.ts';
import type { View, ViewEvents } from './view.ts';

interface ScreenNeeds extends ViewEvents {
  input: ReadStream;
  output: WriteStream;
  clock: Clock;
  colours: boolean;
}

const prompt = '› ';
const secondMs = 1_000;

/** The words of the status line. */
const createStatus = (clock: Clock) => {
  let session = '';
  let isConnected = false;
  let runningSince: number | null = null;
  return {
    take: (happening: Happening) => {
      if (happening.type === 'session') ({ sessionId: session } = happening);
      if (happening.type === 'connected') isConnected = true;
      if (happening.type === 'away') isConnected = false;
      if (happening.type === 'running')
        runningSince = happening.isRunning ? (runningSince ?? clock.now()) : null;
    },
    isRunning: () => runningSince !== null,
    isConnected: () => isConnected,
    words: (): string => {
      const link = isConnected ? 'connected' : 'reconnecting';
      const work =
        runningSince === null
          ? ['ready', '/help']
          : [`working ${Math.floor((clock.now() - runningSince) / secondMs)} s`, 'Ctrl-C stops it'];
      return `— ${[link, session, ...work].join(' · ')}`;
    },
  };
};

/** A transcript, and below it a status line and the line that is typed. */
export const createScreen = (needs: ScreenNeeds): View => {
  const { input, output, clock, colours, onLine, onInterrupt, onEnd } = needs;
  const paint = createPaint(colours);
  const row = createRow(colours);
  const rl = createInterface({ input, output, prompt, historySize: 200 });
  const columns = () => output.columns || 80;
  const state = createStatus(clock);
  const status = () =>
    paint(state.isConnected() ? 'gray' : 'yellow', shorten(visible(state.words()), columns() - 1));
  const { put, redraw, print, stream, end } = createTranscript({ rl, output, columns, status });

  const show = (happening: Happening): void => {
    state.take(happening);
    switch (happening.type) {
      case 'connected':
        return happening.isAgain ? print(row('connected', 'again', 'green')) : redraw();
      case 'session':
        return redraw();
      case 'away':
        return print(row('away', 'the server does not answer; trying again', 'yellow'));
      case 'text':
        return stream(happening.text);
      case 'notice': {
        const { word, text } = happening;
        const line =
          word === '' ? visibleLines(text) : row(word, shorten(visible(text), 2 * columns()), 'cyan');
        return print(wrapText(line, columns() - 1));
      }
      case 'running':
        return happening.isRunning ? redraw() : print('');
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
  rl.on('SIGINT', onInterrupt).on('close', onEnd);
  const stopTicking = clock.every(secondMs, () => {
    if (state.isRunning()) redraw();
  });
  redraw();

  return {
    show,
    print,
    columns,
    close: () => {
      stopTicking();
      end();
      rl.close();
    },
  };
};
