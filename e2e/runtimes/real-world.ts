import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { createProcesses, daemonEntry, newFolder, startMachine, until } from '../harness/index.ts';
import { threadOf } from '../agent/thread.ts';
import { startCodingModel } from './coding-model.ts';
import type { RealProgram } from './programs.ts';

/** Enables it as its person does, and leads it to the model. */
const enable = (real: RealProgram, { home, program, url }: { home: string; program: string; url: URL }) => {
  for (const [name, content] of Object.entries(real.files(url.origin))) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const args = ['runtimes', 'enable', real.id, '--host', `localhost:${url.port}`, '--', program];
  execFileSync(process.execPath, [daemonEntry, ...args], { env: { ...process.env, HOME: home } });
  const path = join(home, '.drawbridge/runtimes.json');
  const file = JSON.parse(readFileSync(path, 'utf8')) as {
    runtimes: Record<string, { env: object; args: string[] }>;
  };
  const entry = file.runtimes[real.id];
  Object.assign(entry?.env ?? {}, real.env(url.origin));
  entry?.args.push(...(real.args?.(url.origin) ?? []));
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
};

/** A server without a model, and a machine whose chat is answered by a real coding agent in `folder`. */
export const startRealWorld = async (real: RealProgram, folder: string) => {
  const programs = createProcesses();
  const model = await startCodingModel(real.tools);
  const home = newFolder('home');
  const program = join(folder, 'node_modules/.bin', real.program);
  enable(real, { home, program, url: new URL(model.url) });
  const { ann, daemon } = await startMachine(programs, { home, flags: ['--permission-shell', 'ask'] });
  const thread = threadOf(ann, 'chat');
  const message = `/runtime activate ${real.id}`;
  await ann.api.agent.send.mutate({ threadId: 'chat', message, attachments: [], mode: 'reject' });

  let before = 0;
  const decided = new Set<string>();
  const events = async () => (await thread.events(before)).map(({ event }) => event);
  type Of<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>;
  const of = async <Type extends StoredEvent['type']>(type: Type) =>
    (await events()).flatMap((event) => (event.type === type ? [event as Of<Type>] : []));

  return {
    ...{ model, daemon, thread },
    /** The events of the last message. */
    of,
    say: async (...steps: string[]) => {
      before = (await thread.exists()) ? ((await thread.events()).at(-1)?.id ?? 0) : 0;
      await thread.say(['STEPS', ...steps].join('\n'));
    },
    /** The same with a picture, for a chat that has begun. */
    show: async (data: string, ...steps: string[]) => {
      before = (await thread.events()).at(-1)?.id ?? 0;
      const attachments = [{ name: 'dot.png', mediaType: 'image/png', data }];
      const message = ['STEPS', ...steps].join('\n');
      await ann.api.agent.send.mutate({ threadId: 'chat', message, attachments, mode: 'reject' });
    },
    /** Answers the question with that title, and gives it. */
    decide: async (title: string, approved = true, reason?: string) => {
      const question = await until(async () => {
        const finish = (await of('run-finish'))[0];
        const all = await ann.api.confirmations.list.query();
        const open = all.filter(({ id }) => !decided.has(id));
        const one = open.find((each) => each.title === title);
        if (one === undefined && (finish || open.length > 0))
          throw new Error(
            `not asked "${title}", but ${JSON.stringify(finish?.payload ?? open.map((each) => each.title))}`,
          );
        return one;
      });
      decided.add(question.id);
      await ann.api.confirmations.decide.mutate({ confirmationId: question.id, approved, reason });
      return question;
    },
    /** How the run of the last message ended. */
    finished: async () => (await until(async () => (await of('run-finish'))[0])).payload.status,
    stop: async () => {
      await programs.stopAll();
      await model.close();
    },
  };
};

export type RealWorld = Awaited<ReturnType<typeof startRealWorld>>;
