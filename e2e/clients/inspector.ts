import { newFolder, type Processes } from '../harness/index.ts';
import { inspectorEntry } from '../harness/programs.ts';
import { outcomeOf, type Connect } from './client.ts';

/** The inspector's command line: each request is a separate process; ending it cancels the request. */
export const connectInspector =
  (processes: Processes): Connect =>
  async ({ url, token }) => {
    const home = newFolder('inspector');
    const ask = async (method: string, more: string[], signal?: AbortSignal): Promise<unknown> => {
      const target = ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
      const running = processes.start({
        command: process.execPath,
        args: [inspectorEntry(), ...target, '--method', method, ...more],
        cwd: home,
        env: { HOME: home },
      });
      signal?.addEventListener('abort', () => running.signal('SIGTERM'), { once: true });
      await running.exit;
      signal?.throwIfAborted();
      const output = running.output();
      return JSON.parse(output.slice(output.indexOf('{')));
    };

    return {
      tools: async () => {
        const { tools } = (await ask('tools/list', [])) as { tools: { name: string }[] };
        return tools.map(({ name }) => name);
      },
      call: async (name, given, signal) => {
        const pairs = Object.entries(given).flatMap(([key, value]) => [
          '--tool-arg',
          `${key}=${String(value)}`,
        ]);
        return outcomeOf(await ask('tools/call', ['--tool-name', name, ...pairs], signal));
      },
      close: async () => {},
    };
  };
