import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { Preview } from '@drawbridge/contracts/preview';
import { createFakeClock, nextMacrotask } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';
import { createGate, type Ask, type Outcome } from '../../src/permission/gate/gate.ts';
import type { Modes } from '../../src/permission/rules/modes.ts';
import type { Attempt } from '../../src/permission/gate/question.ts';
import type { Resource } from '../../src/permission/rules/resource.ts';
import { openRuleUse } from '../../src/permission/settings/rule-use.ts';
import type { Rule } from '../../src/permission/rules/rule.ts';
import { createSession } from '../../src/permission/settings/session.ts';
import { openSettings } from '../../src/permission/settings/settings.ts';

export const read = (path: string): Resource => ({
  toolGroup: 'filesystemRead',
  resource: path,
  description: `Read ${path}`,
});
export const write = (path: string): Resource => ({
  toolGroup: 'filesystemWrite',
  resource: path,
  description: `Write ${path}`,
});
export const ruleOf = ({ toolGroup, resource }: Resource) => ({ toolGroup, resource });
const withoutTime = ({ madeAt: _madeAt, ...rule }: Rule) => rule;
export const caller = { signal: new AbortController().signal, progress: () => undefined };
export const byPerson: Outcome = { kind: 'denied', reason: 'Access denied by the user', byUser: true };
export const misfit: Outcome = {
  kind: 'denied',
  reason: 'Access denied: the answer does not fit what was asked',
};

/** A gate over real settings in its own folder; `send` and `asked` repeat the same attempt. */
export const openGate = async ({
  modes = {},
  ask = { kind: 'panel' } as Ask,
}: { modes?: Partial<Modes>; ask?: Ask } = {}) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createFakeClock();
  const settings = await openSettings(folder, clock);
  const session = createSession({ clock, modes, root: '/w' });
  const use = await openRuleUse({ clock, folder });
  onTestFinished(use.close);
  const gate = createGate({ settings, session, ask, use, root: '/w' });
  const world = {
    resources: [write('/w/a')],
    preview: undefined as Preview | undefined,
    file: join(folder, 'settings.json'),
    settings,
    /** Without the times at which they were made. */
    rules: () => {
      const { allow, deny } = settings.rules();
      return { allow: allow.map(withoutTime), deny: deny.map(withoutTime) };
    },
    session,
    gate,
    clock,
    use,
    attempt: (over: Partial<Attempt> = {}): Attempt => ({
      requestId: 'r1',
      tool: 'write_file',
      group: 'filesystemWrite',
      arguments: { filePath: 'a', content: 'x' },
      inspect: () => Promise.resolve(world.resources),
      title: () => Promise.resolve('Change a?'),
      preview: () => Promise.resolve(world.preview),
      ...over,
    }),
    send: async (confirmation?: unknown, over: Partial<Attempt> = {}, reach?: string) => {
      // Each call is a request of its own.
      await nextMacrotask();
      return gate.check(world.attempt(over), { confirmation, reach, ...caller });
    },
    asked: async (over: Partial<Attempt> = {}): Promise<ConfirmationPayload> => {
      const outcome = await world.send(undefined, over);
      if (outcome.kind !== 'ask') throw new Error(`expected a question, got ${outcome.kind}`);
      return outcome.question;
    },
  };
  return world;
};
