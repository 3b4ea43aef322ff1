import { emptyView, reduce } from '@drawbridge/agent/view';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import type { ThreadView } from '@drawbridge/contracts/agent/threads';
import type { RuntimeEvent } from '@drawbridge/contracts/machines/runtimes';
import type { Script } from '../../../e2e/agent/scripted-model.ts';
import { withMachine } from './agent.ts';

/** What a machine answers that asks whether a coding agent may run its tests. */
export const npmQuestion = {
  result: {
    isError: true,
    content: [
      {
        type: 'text' as const,
        text: confirmationText.encode({
          ...{ toolGroup: 'shell', resource: '"/x" $ npm test', description: 'Run npm test' },
          options: ['allowOnce', 'denyOnce'],
        }),
      },
    ],
  },
};

export const turnTool = {
  name: 'runtime_turn',
  description: 'Gives a task to a coding agent',
  inputSchema: {
    type: 'object',
    properties: { runtime: { enum: ['gemini', 'opencode'] }, earlier: {}, asks: {}, plans: {}, pictures: {} },
  },
  annotations: { category: 'runtime' },
};
/** Without the times, which rows and their events have a moment apart. */
const untimed = (view: ThreadView): ThreadView =>
  JSON.parse(JSON.stringify(view, (key, value) => (/^(at|startedAt|endedAt)$/.test(key) ? null : value)));

export const noModel = { AGENT_MODEL: '', AGENT_MODEL_URL: '' };

/** A server with a machine that offers coding agents, which the test plays. */
export const openRuntimeWorld = async (
  environment: Record<string, string> = {},
  script: Script = () => ({ text: 'From the model.' }),
) => {
  const opened = await withMachine(script, environment, {
    tools: [turnTool],
    daemon: { version: '0.1.0', protocol: 1, features: ['cancel', 'progress'] },
  });
  const { daemon, say } = opened;
  const command = async (text: string) => (await say(text)) as { answer: string };
  return {
    ...opened,
    command,
    choose: () => command('/runtime activate gemini'),
    /** What the machine posts of a turn. */
    post: async (requestId: string, from: number, events: RuntimeEvent[], more: object = {}) =>
      (await daemon.progress(requestId, { turn: { from, events }, ...more })).json,
    end: (requestId: string, events: RuntimeEvent[], tokens: number | null = null) => {
      const structuredContent = { runtime: 'gemini', session: 's1', stopReason: 'end_turn', events, tokens };
      return daemon.respond(requestId, {
        result: { content: [{ type: 'text', text: 'all of it' }], structuredContent },
      });
    },
    fail: (requestId: string, text: string) =>
      daemon.respond(requestId, { result: { isError: true, content: [{ type: 'text', text }] } }),
    /** What the machine reads of the form of an action. */
    look: async (requestId: string) => (await daemon.progress(requestId, { forms: [1] })).json,
    /** The chat as its rows have it, and as its events make it. */
    views: async () => {
      const { view } = await opened.snapshot();
      const events = await opened.events();
      const folded = events.reduce((all, { id, event }) => reduce(all, id, event), emptyView());
      return { view: untimed(view), folded: untimed(folded) };
    },
    stored: async () =>
      (await opened.events()).map(({ event }) => {
        const payload = event.payload as Record<string, unknown>;
        return `${event.type} ${String(payload['text'] ?? payload['result'] ?? payload['status'] ?? '')}`.trim();
      }),
    audited: () =>
      opened.server.log
        .filter((line) => line.includes('"audit"'))
        .map((line) => {
          const given = JSON.parse(line) as Record<string, unknown>;
          const names = [
            'audit',
            'runtime',
            'source',
            'from',
            'to',
            'code',
            'outcome',
            'requestId',
            'tokens',
            'actions',
            'asked',
          ];
          return Object.fromEntries(names.flatMap((name) => (name in given ? [[name, given[name]]] : [])));
        }),
  };
};
