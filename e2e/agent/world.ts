import { createProcesses, startMachine, type Daemon, type Person, type Server } from '../harness/index.ts';
import {
  startScriptedModel,
  type Script,
  type ScriptedModel,
  type ScriptedRequest,
} from './scripted-model.ts';
import { threadOf, type Thread } from './thread.ts';
import type { Turn } from './model-turn.ts';

/** A turn with one call. */
export const use = (name: string, args: unknown = {}): Turn => ({ calls: [{ name, arguments: args }] });

/** All messages of a request, as JSON. */
export const textOf = ({ body }: ScriptedRequest): string => JSON.stringify(body.messages);

export interface World {
  model: ScriptedModel;
  server: Server;
  ann: Person;
  daemon: Daemon;
  thread(id: string, person?: Person): Thread;
  /** A request of the owner to the agent. */
  send(method: 'POST' | 'PATCH', path: string, body?: object): Promise<Response>;
  /** The requests with tools in which a message of the user names the case. */
  requestsOf(name: string): ScriptedRequest[];
  stop(): Promise<void>;
}

/** The built server, a machine of its owner, and a model that follows the script. */
export const startWorld = async (script: Script, env: Record<string, string> = {}): Promise<World> => {
  const processes = createProcesses();
  const model = await startScriptedModel(script);
  const stop = async () => {
    await processes.stopAll();
    await model.close();
  };
  try {
    const agent = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, AGENT_MAX_RUNS_PER_USER: '20' };
    const machine = await startMachine(processes, { env: { ...agent, ...env } });
    const named = ({ body }: ScriptedRequest, name: string) =>
      body.messages.some(
        ({ role, content }) => role === 'user' && JSON.stringify(content).includes(`case:${name}`),
      );
    return {
      ...machine,
      model,
      thread: (id, person = machine.ann) => threadOf(person, id),
      send: (method, path, body = {}) =>
        machine.ann.fetch(`/api/v1/instance-ai${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      requestsOf: (name) =>
        model.requests.filter((request) => request.tools.length > 0 && named(request, name)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
