import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RuntimeEvent, TurnPicture } from '@drawbridge/contracts/machines/runtimes';
import { systemClock, type Clock } from '@drawbridge/kit';
import type {
  ActionRequest,
  Form,
  FormEnd,
  OpenDriver,
  RunningProgram,
  Verdict,
} from '../../src/tools/runtimes/driver.ts';
import { cleanUp } from './clean-up.ts';
import { makeFolders } from './tool-fixture.ts';

export interface DriverOptions {
  root?: string;
  flags?: string[];
  clock?: Clock;
  resume?: string | null;
  pictures?: TurnPicture[];
  verdict?(request: ActionRequest, withdrawal: AbortSignal): Promise<Verdict>;
  form?(form: Form, withdrawal: AbortSignal): Promise<FormEnd>;
}

/** A driver with its stand-in as a real process, without walls. */
export const openWith =
  (driver: OpenDriver, standIn: string) =>
  async ({
    root = makeFolders().root,
    flags = [],
    clock = systemClock,
    resume = null,
    pictures = [],
    verdict,
    form: answer,
  }: DriverOptions = {}) => {
    const start = async (line: (text: string) => void, more: readonly string[] = [], module = '') => {
      const path = join(mkdtempSync(join(tmpdir(), 'drawbridge-module-')), 'module.mjs');
      cleanUp(() => rmSync(dirname(path), { recursive: true }));
      writeFileSync(path, module);
      const args = [join(import.meta.dirname, standIn), ...flags, ...more, ...(module && [path])];
      const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
      cleanUp(() => child.kill('SIGKILL'));
      createInterface({ input: child.stdout }).on('line', line);
      const program: RunningProgram = {
        send: (text) => child.stdin.write(`${text}\n`),
        close: () => child.stdin.end(),
        ended: once(child, 'close').then(([code]) => `exit code ${String(code)}`),
        kill: () => void child.kill('SIGKILL'),
      };
      return program;
    };
    const live = await driver({
      ...{ clock, start, cwd: root, resume, mode: 'default' },
      instructionsOf: async (name) => `of ${name}`,
    });
    const asked: ActionRequest[] = [];
    const forms: Form[] = [];
    const stopping = new AbortController();
    const turn = async (...lines: string[]) => {
      const events: RuntimeEvent[] = [];
      const ask = async (request: ActionRequest, _n: number, withdrawal: AbortSignal): Promise<Verdict> => {
        asked.push(request);
        return (await verdict?.(request, withdrawal)) ?? { allow: true };
      };
      const form = async (one: Form, _n: number, withdrawal: AbortSignal): Promise<FormEnd> => {
        forms.push(one);
        return (await answer?.(one, withdrawal)) ?? { declined: 'not answered' };
      };
      const said = Promise.withResolvers<void>();
      const event = (one: RuntimeEvent) => {
        events.push(one);
        said.resolve();
      };
      const end = live.turn({ text: lines.join('\n'), pictures }, { event, ask, form }, stopping.signal);
      // Each test looks at it; it may reject before.
      end.catch(() => undefined);
      return { events, end, said: said.promise };
    };
    return { root, live, asked, forms, turn, stop: () => stopping.abort(new Error('stopped')) };
  };
