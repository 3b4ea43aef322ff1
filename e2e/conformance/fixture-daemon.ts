import { daemonEvent, type ToolRequest } from '@drawbridge/contracts/daemon-event';
import { protocolRevision } from '@drawbridge/contracts/daemon-info';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { initReply } from '@drawbridge/contracts/daemon-reply';
import {
  daemonSurface,
  type InitBody,
  type ProgressBody,
  type ResponseBody,
} from '@drawbridge/contracts/daemon-surface';
import { EventSource } from 'eventsource';
import type { SuiteTool } from './suite-tool.ts';

/** A machine that offers the given tools without questions, over the wire protocol. */
export interface FixtureDaemon {
  close(): void;
}

export interface FixtureDaemonOptions {
  url: string;
  /** A pairing token. */
  token: string;
  tools: readonly SuiteTool[];
}

const daemon: InitBody['daemon'] = {
  version: '0.0.0',
  protocol: protocolRevision,
  features: ['cancel', 'progress'],
};

/** Pairs, and resolves once its stream is open. */
export const startFixtureDaemon = async (options: FixtureDaemonOptions): Promise<FixtureDaemon> => {
  const base = options.url + daemonMounts.bare;
  let key = options.token;
  let offered = options.tools;

  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };

  const listOf = (tools: readonly SuiteTool[]) => tools.map(({ tool }) => tool);

  const answerOf = async ({ requestId, toolCall }: ToolRequest): Promise<ResponseBody> => {
    const found = offered.find(({ tool }) => tool.name === toolCall.name);
    if (!found) return { error: `Unknown tool: ${toolCall.name}` };
    const result = await found.run({
      arguments: toolCall.arguments,
      say: async (progress: ProgressBody) => void (await post(`/progress/${requestId}`, progress)),
      changeTools: async () => {
        offered = offered.length === options.tools.length ? options.tools.slice(1) : options.tools;
        await post(daemonSurface.tools.path, { tools: listOf(offered) });
      },
    });
    return { result };
  };

  const reply = initReply.parse(
    await post(daemonSurface.init.path, {
      rootPath: '/conformance',
      hostIdentifier: 'conformance',
      tools: listOf(offered),
      daemon,
    }),
  );
  if (reply.warnings) throw new Error(reply.warnings.join('\n'));
  key = reply.sessionKey ?? key;

  const stream = new EventSource(base + daemonSurface.events.path, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, [gatewayKeyHeader]: key } }),
  });
  stream.addEventListener('message', ({ data }) => {
    const event = daemonEvent.parse(JSON.parse(String(data)));
    if (event.type !== 'filesystem-request') return;
    const { requestId } = event.payload;
    // A call that was given up has no place for its answer.
    void answerOf(event.payload)
      .then((body) => post(`/response/${requestId}`, body))
      .catch(() => {});
  });
  await new Promise<void>((resolve, reject) => {
    stream.addEventListener('open', () => resolve(), { once: true });
    stream.addEventListener('error', () => reject(new Error('The stream did not open')), { once: true });
  });
  return { close: () => stream.close() };
};
