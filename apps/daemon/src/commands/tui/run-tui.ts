import { visible, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { row } from '../../terminal/row.ts';
import { createChat, type Chat } from './chat.ts';
import type { Happening } from './session-events.ts';
import { readQuestion, type TuiQuestion } from './question.ts';
import type { Credential } from './socket.ts';
import type { View, ViewEvents } from './view.ts';

/** What was typed before a question could be read is no answer to it. */
const ignoreLinesMs = 500;
/** A second Ctrl-C in this time leaves. */
const leaveWithinMs = 2_000;

export interface TuiNeeds {
  server: URL;
  clock: Clock;
  credential(): Promise<Credential>;
  sessionId: string;
  /** Whether a line waits for the end of the one before it. */
  inOrder: boolean;
  /** One message, after which the program ends; undefined: lines are read. */
  message: string | undefined;
  /** Why questions are not answered here; null where they are. */
  noAnswers: string | null;
  signal: AbortSignal;
  createView(events: ViewEvents): View;
}

const help = [
  '/sessions         the chats',
  '/switch <id>      another chat',
  '/new              a new chat',
  '/confirmations    open questions',
  '/leave            ends this program; Ctrl-C twice too',
  'The server answers /queue, /stop, /runtime and /subagents.',
].join('\n');

const sessionsList = z.object({ sessions: z.array(z.object({ id: z.string(), messageCount: z.number() })) });
const openQuestions = z.object({ confirmations: z.array(z.record(z.string(), z.unknown())) });

/** What the lines that begin with a slash do here; all others go to the server. */
const createLocal = (needs: {
  chat: Chat;
  print(text: string): void;
  ask(question: unknown): void;
  newId(): string;
  leave(): void;
}) => {
  const { chat, print, ask, newId, leave } = needs;
  const switchTo = async (id: string) => {
    await chat.switchTo(id);
    print(row('session', visible(id)));
  };
  const commands: Record<string, (argument: string) => unknown> = {
    help: () => print(help),
    leave,
    new: () => switchTo(newId()),
    switch: (id) => (id === '' ? print('Which? /sessions lists them.') : switchTo(id)),
    sessions: async () => {
      const { sessions } = sessionsList.parse(await chat.ask('sessions.list', {}));
      print(
        sessions.map(({ id, messageCount }) => row(`${messageCount}`, visible(id))).join('\n') || 'None yet.',
      );
    },
    confirmations: async () => {
      const { confirmations } = openQuestions.parse(await chat.ask('agent.confirmations', {}));
      if (confirmations.length === 0) print('No question is open.');
      for (const one of confirmations) ask(one);
    },
  };
  /** Null for a line that is for the server. */
  return (line: string): Promise<unknown> | null => {
    const [, name = '', argument = ''] = /^\/(\w+)\s*(.*)$/.exec(line) ?? [];
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    return command ? Promise.resolve(command(argument.trim())) : null;
  };
};

/** Shows questions, and answers them with a typed word where that is allowed. */
const createAnswers = (needs: { chat(): Chat; clock: Clock; noAnswers: string | null; view(): View }) => {
  const { chat, clock, noAnswers, view } = needs;
  let open: { question: TuiQuestion; since: number } | null = null;
  return {
    ask: (given: unknown) => {
      const question = readQuestion(given);
      if (!question) return view().print(row('question', 'Open the panel to answer it.'));
      const mayAnswer = question.canAnswer && noAnswers === null;
      view().print(question.draw(view().columns()));
      view().print(row('question', visible(question.url)));
      if (mayAnswer) {
        open = { question, since: clock.now() };
        view().print(
          row('type', question.words?.join(', ') ?? 'your answer; several are separated by " / "'),
        );
      } else view().print(row('', noAnswers ?? 'Answer it in the panel, or /stop.'));
    },
    closed: (confirmId: string) => {
      if (open?.question.id === confirmId) open = null;
    },
    /** Whether the line was meant for the open question. */
    take: (line: string): boolean => {
      if (!open || line.startsWith('/')) return false;
      const { question, since } = open;
      const reply = question.read(line.trim());
      if (clock.now() - since < ignoreLinesMs)
        view().print(row('type', 'again: the question has only just come'));
      else if (!reply)
        view().print(row('type', `one of ${question.words?.join(', ') ?? 'the answers'}, or /stop`));
      else {
        open = null;
        chat()
          .ask('agent.confirm', { confirmId: question.id, ...reply })
          .catch((error: Error) => view().print(row('error', visible(error.message))));
      }
      return true;
    },
  };
};

/** A chat in the terminal until it is left. Resolves with the problem of the last message, or null. */
export const runTui = async (needs: TuiNeeds & { newId(): string }): Promise<string | null> => {
  const { clock, message, inOrder, signal, noAnswers } = needs;
  const left = new AbortController();
  const leave = () => left.abort();
  signal.addEventListener('abort', leave, { once: true });
  let problem: string | null = null;
  let isRunning = false;
  let interruptedAt = -Infinity;
  let last: Promise<unknown> = Promise.resolve();
  const ended = Promise.withResolvers<void>();

  const listen = (happening: Happening) => {
    if (happening.type === 'running') ({ isRunning } = happening);
    view.show(happening);
    if (happening.type === 'question') answers.ask(happening.question);
    if (happening.type === 'answered') answers.closed(happening.confirmId);
  };
  const chat = createChat({ ...needs, signal: left.signal, listen });
  const answers = createAnswers({ chat: () => chat, clock, noAnswers, view: () => view });
  const local = createLocal({
    chat,
    print: (text) => view.print(text),
    ask: answers.ask,
    newId: needs.newId,
    leave,
  });
  const report = (error: unknown) =>
    view.print(row('error', visible(error instanceof Error ? error.message : 'Something went wrong')));
  const send = async (text: string) => {
    problem = await chat.send(text);
  };

  const view: View = needs.createView({
    onLine: (line) => {
      if (line.trim() === '' || answers.take(line)) return;
      const act = () => (local(line) ?? send(line)).catch(report);
      last = inOrder ? last.then(act) : Promise.all([last, act()]);
    },
    onInterrupt: () => {
      if (!isRunning || clock.now() - interruptedAt < leaveWithinMs) return leave();
      interruptedAt = clock.now();
      view.print(row('stopping', 'Ctrl-C once more to leave'));
      chat.cancel().catch(report);
    },
    onEnd: () => void last.then(() => ended.resolve()),
  });

  const running = chat.run();
  if (message !== undefined) void send(message).then(() => ended.resolve());
  try {
    await Promise.race([running, ended.promise]);
  } finally {
    leave();
    view.close();
  }
  return problem;
};
