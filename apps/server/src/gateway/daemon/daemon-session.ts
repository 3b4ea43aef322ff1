import type { InitReply, ProgressReply, ToolsReply } from '@drawbridge/contracts/daemon-reply';
import type {
  InitBody,
  ProgressBody,
  ResponseBody,
  SettledBody,
  ToolsBody,
} from '@drawbridge/contracts/daemon-surface';
import type { ProcessesBody } from '@drawbridge/contracts/machines/processes';
import type { RuntimeList } from '@drawbridge/contracts/machines/runtimes';
import type { RulesBody } from '@drawbridge/contracts/rule-list';
import { createKeyedQueue } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { AnswerReply, DaemonCalls } from '../calls/daemon-calls.ts';
import type { SettledQuestions } from '../confirmations/confirmations.ts';
import type { DaemonStream } from '../connection/streams.ts';
import type { Machine } from '../machines/registry.ts';
import { readTools } from '../machines/tool-list.ts';
import type { KeyOwner } from '../pairing/keys.ts';
import { digestOf } from '../pairing/plain-keys.ts';
import type { MachineProcesses } from '../processes/processes.ts';
import type { MachineRules } from '../rules/rules.ts';
import type { MachineRuntimes } from '../runtimes/runtimes.ts';
import { takeInit, type InitContext } from './init.ts';

/** How a daemon shows who it is: its key, and the epoch of its last init where it knows it. */
export type DaemonCredentials = string | { key: string; epoch: number };

export interface DaemonSessionNeeds extends InitContext {
  calls: DaemonCalls;
  rules: MachineRules;
  processes: MachineProcesses;
  runtimes: MachineRuntimes;
  confirmations: SettledQuestions;
}

/** A key that holds, the machine that it speaks for, and the epoch in which its daemon lives. */
interface Known {
  owner: KeyOwner;
  machine: Machine;
  epoch: number;
}

/** How a stream is known by the credentials that opened it. */
const readerOf = (credentials: DaemonCredentials): string =>
  digestOf(typeof credentials === 'string' ? credentials : `${credentials.epoch} ${credentials.key}`);

/** A pairing token is good for init alone. */
const machineFor = async (
  { keys, registry }: InitContext,
  credentials: DaemonCredentials,
): Promise<Omit<Known, 'machine'> & { machine: Machine | undefined }> => {
  const { key, epoch } = typeof credentials === 'string' ? { key: credentials } : credentials;
  const owner = await keys.owner(key);
  if (owner.kind === 'pairing') throw errors.forbidden();
  const machine =
    owner.kind === 'session' ? await registry.byId(owner.machineId) : await registry.ofEnvironment();
  return { owner, machine, epoch: epoch ?? machine?.info.epoch ?? 0 };
};

const known = async (ctx: InitContext, credentials: DaemonCredentials): Promise<Known> => {
  const { machine, ...rest } = await machineFor(ctx, credentials);
  if (!machine) throw errors.notFound();
  return { ...rest, machine };
};

/** What the machine is and offers. */
const ofMachine = (ctx: DaemonSessionNeeds) => {
  const { keys, registry, connections, settings, store } = ctx;
  const queue = createKeyedQueue();
  return {
    init: (key: string, body: InitBody): Promise<InitReply> =>
      takeInit(ctx, { key, body }, (userId, job) => queue.run(userId, job)),
    /**
     * Stores what the machine offers from now on and publishes a change of it; `replaced` from an older
     * epoch.
     */
    setTools: async (credentials: DaemonCredentials, body: ToolsBody): Promise<ToolsReply> => {
      const { owner } = await known(ctx, credentials);
      await settings.requireEnabled(owner.userId);
      const { list, warnings } = readTools(body.tools);
      return queue.run(owner.userId, async () => {
        // Looked at in turn: an init may have come in between.
        const { machine, epoch } = await known(ctx, credentials);
        const categories = body.toolCategories ?? machine.info.categories;
        const modes = body.modes ?? machine.info.modes;
        const { id, userId } = machine;
        const { revision } = body;
        const outcome = await store.setTools({ id, epoch, revision, toolList: list, categories, modes });
        if (outcome === 'replaced') throw errors.replaced();
        if (outcome === 'stored') {
          registry.adopt({ id, userId, info: { ...machine.info, toolList: list, categories, modes } });
          connections.announce(machine);
        }
        return { ok: true, ...(warnings.length === 0 ? {} : { warnings }) };
      });
    },
    /**
     * Attaches a stream; the newest wins. Call the returned function once the stream has closed. A stream of
     * an older epoch gets a notice that it was replaced, and is closed.
     */
    openStream: async (credentials: DaemonCredentials, stream: DaemonStream): Promise<() => void> => {
      const { owner, machine, epoch } = await machineFor(ctx, credentials);
      if (!machine) throw errors.forbidden();
      await settings.requireEnabled(owner.userId);
      const namesEpoch = typeof credentials !== 'string';
      return connections.open(machine, { stream, reader: readerOf(credentials), epoch, namesEpoch });
    },
    /** Whose machine speaks with that key; `notFound` for one that never called `init`. */
    userOf: async (credentials: DaemonCredentials): Promise<string> =>
      (await known(ctx, credentials)).machine.userId,
    /** Ends the pairing. Specification 7. */
    disconnect: async (credentials: DaemonCredentials) => {
      const { machine, epoch } = await known(ctx, credentials);
      // A daemon that another has replaced has no session left to end.
      if (epoch < machine.info.epoch) return;
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
    /** The machine is offline at once, as after its grace; its key stays good. */
    leave: async (credentials: DaemonCredentials) => {
      const { machine, epoch } = await known(ctx, credentials);
      if (epoch === machine.info.epoch) connections.leave(machine);
    },
  };
};

/** What the machine says of calls and questions. */
const ofCalls = (ctx: DaemonSessionNeeds) => {
  const { connections, calls, rules, processes, runtimes, confirmations } = ctx;
  return {
    /** From an older epoch an answer counts only for a call that is open and was given to it. */
    respond: async (
      credentials: DaemonCredentials,
      requestId: string,
      body: ResponseBody,
    ): Promise<AnswerReply> => calls.answer(await known(ctx, credentials), requestId, body),
    /** The same for several, with one check of the key; each gets its own reply, in their order. */
    respondAll: async (
      credentials: DaemonCredentials,
      answers: readonly { requestId: string; body: ResponseBody }[],
    ): Promise<PromiseSettledResult<AnswerReply>[]> => {
      const from = await known(ctx, credentials);
      return Promise.allSettled(answers.map(({ requestId, body }) => calls.answer(from, requestId, body)));
    },
    /** Where the post says where its output begins, the reply says how far the output is here. */
    progress: async (
      credentials: DaemonCredentials,
      requestId: string,
      body: ProgressBody,
    ): Promise<ProgressReply> => calls.progress(await known(ctx, credentials), requestId, body),
    /** Accepts the answer to the probe of that id: the stream has a reader. */
    probe: async (credentials: DaemonCredentials, id: number) => {
      if (connections.answeredBy(readerOf(credentials), id)) return;
      const { machine, epoch } = await known(ctx, credentials);
      if (epoch === machine.info.epoch) connections.answered(machine, id);
    },
    /** Answers a question about the rules of the machine. */
    rules: async (credentials: DaemonCredentials, requestId: string, body: RulesBody) =>
      rules.answer((await known(ctx, credentials)).machine, requestId, body),
    /** Answers a question about the processes of the machine. */
    processes: async (credentials: DaemonCredentials, requestId: string, body: ProcessesBody) =>
      processes.answer((await known(ctx, credentials)).machine, requestId, body),
    /** Answers a question about the coding agents of the machine. */
    runtimes: async (credentials: DaemonCredentials, requestId: string, body: RuntimeList) =>
      runtimes.answer((await known(ctx, credentials)).machine, requestId, body),
    /**
     * Decides open questions of the machine that its rules cover now; returns how many. From an older epoch
     * none.
     */
    settled: async (credentials: DaemonCredentials, body: SettledBody): Promise<number> => {
      const { machine, epoch } = await known(ctx, credentials);
      return epoch < machine.info.epoch ? 0 : confirmations.settle(machine.id, body);
    },
  };
};

/** What a daemon can do with its key. Specification 2, 3 and 4. */
export const createDaemonSession = (needs: DaemonSessionNeeds) => ({
  ...ofMachine(needs),
  ...ofCalls(needs),
});

/**
 * What a daemon can do with a key. Each throws `forbidden`, with one and the same sentence, for a key that
 * does not hold.
 */
export type DaemonSession = ReturnType<typeof createDaemonSession>;
