// A coding agent that speaks ACP 1 on its standard input and output. Each line of the prompt is one step:
// SAY text · THINK text · RUN command · TWICE command (asks about it twice) · SWAP command (runs another one) · EDIT path text · MODE id · PLAN text ·
// EDITS json (several files) · FORM properties (says the answer) · URL (asks to open a page) · PATCH path before after (a part of a file) · LEAVE command (asks, and ends its turn) · WHICH (says its mode) · INPUT (what it got beside the text) ·
// BACK command (asks, and withdraws its question; with `!` it runs it all the same) · BACKFORM properties ·
// OTHER name · UNTIL file (makes `file.waits`, and waits for it) · WAIT (until it is cancelled) · STUCK (ignores that) · SLEEPER seconds (leaves a process) · DIE · GARBAGE ·
// FLOOD mebibytes (one message of that size) · POUR count length (so many pieces of text) · MANY count (so many pieces of text, and actions that it does not ask about).
// A file `forgets` in its folder makes it forget its sessions.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const flags = new Set(process.argv.slice(2));
const waiting = new Map();
let lastId = 0;
let lastCall = 0;
let mode = flags.has('--auto') ? 'auto' : 'default';
let cwd = process.cwd();
let onCancel = () => {};
let isCancelled = false;
let blocks = [];

const write = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`);
const update = (fields) => write({ method: 'session/update', params: { sessionId: 's1', update: fields } });
const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
/** Resolves when there is a file of that name in its folder, which goes. */
const appears = (name) =>
  new Promise((resolve) => {
    const watcher = watch(cwd, () => look());
    const look = () => {
      if (!existsSync(`${cwd}/${name}`)) return;
      watcher.close();
      rmSync(`${cwd}/${name}`, { force: true });
      resolve();
    };
    look();
  });
/** Withdraws the newest question as soon as its file `shown` says that it was shown. */
const withdraw = async () => {
  await appears('shown');
  write({ method: '$/cancel_request', params: { requestId: lastId } });
};
const ask = (toolCall) =>
  new Promise((resolve) => {
    const id = (lastId += 1);
    waiting.set(id, resolve);
    const option = (optionId, kind) => ({ optionId, kind, name: optionId });
    const options = [
      option('always', 'allow_always'),
      option('once', 'allow_once'),
      option('no', 'reject_once'),
    ];
    write({ id, method: 'session/request_permission', params: { sessionId: 's1', toolCall, options } });
  });

/** A form of its own; says what came of it. */
const form = async (properties, more = {}) => {
  const id = (lastId += 1);
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties).slice(0, 1) };
  const params = { sessionId: 's1', mode: 'form', message: 'Before I begin', requestedSchema, ...more };
  write({ id, method: 'elicitation/create', params });
  if (more.isWithdrawn) void withdraw();
  say(JSON.stringify(await answer));
};

/** Asks, and acts where the answer is yes. */
const act = async ({ isWithdrawn, actsAnyhow, asksTwice, ...fields }, run) => {
  const toolCall = { toolCallId: `t${(lastCall += 1)}`, status: 'pending', ...fields };
  update({ sessionUpdate: 'tool_call', ...toolCall });
  const asking = ask(toolCall);
  if (isWithdrawn) void withdraw();
  const { outcome = { outcome: 'cancelled' } } = await asking;
  if (outcome.outcome === 'cancelled' && !actsAnyhow) return say('[cancelled]');
  if (outcome.optionId !== 'once' && !actsAnyhow) return say(`[${outcome.optionId}]`);
  if (asksTwice && (await ask(toolCall)).outcome?.optionId !== 'once') return say('[no]');
  const done = run();
  const content = [{ type: 'content', content: { type: 'text', text: done.text } }];
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId: toolCall.toolCallId,
    status: 'completed',
    ...done,
    content,
  });
};

const shell = (command) => ({
  text: execFileSync('/bin/sh', ['-c', command], { cwd, encoding: 'utf8' }).trim(),
});
const command = (text) => ({ kind: 'execute', title: text, rawInput: { command: text } });

const steps = {
  SAY: async (text) => say(text),
  THINK: async (text) => update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
  PLAN: async (text) => update({ sessionUpdate: 'plan', entries: [{ content: text, status: 'pending' }] }),
  RUN: (text) => act(command(text), () => shell(text)),
  TWICE: (text) => act({ ...command(text), asksTwice: true }, () => shell(text)),
  BACK: (text) =>
    act({ ...command(text.replace('!', '')), isWithdrawn: true, actsAnyhow: text.endsWith('!') }, () =>
      shell('true'),
    ),
  BACKFORM: (text) => form(JSON.parse(text), { isWithdrawn: true }),
  SWAP: (text) => act(command('echo harmless'), () => ({ ...shell(text), rawInput: { command: text } })),
  EDIT: (text) => {
    const [, path = '', after = ''] = /^(\S+) ?(.*)$/s.exec(text) ?? [];
    const place = `${cwd}/${path}`;
    const oldText = existsSync(place) ? readFileSync(place, 'utf8') : null;
    const content = [{ type: 'diff', path: place, oldText, newText: after }];
    return act(
      { kind: 'edit', title: path, content },
      () => (writeFileSync(place, after), { text: 'written' }),
    );
  },
  PATCH: (text) => {
    const [path = '', oldText = '', newText = ''] = text.split(' ');
    const place = `${cwd}/${path}`;
    const whole = readFileSync(place, 'utf8').replace(oldText, newText);
    const content = [{ type: 'diff', path: place, oldText, newText }];
    return act(
      { kind: 'edit', title: path, content },
      () => (writeFileSync(place, whole), { text: 'written' }),
    );
  },
  EDITS: (text) => {
    const content = JSON.parse(text).map((one) => ({ ...one, type: 'diff', path: `${cwd}/${one.path}` }));
    return act({ kind: 'edit', title: 'files', content }, () => {
      for (const { path, newText } of content) writeFileSync(path, newText);
      return { text: 'written' };
    });
  },
  FORM: (text) => form(JSON.parse(text)),
  URL: () => form({}, { mode: 'url', url: 'https://example.org', elicitationId: 'e1' }),
  LEAVE: async (text) => void act(command(text), () => shell(text)),
  WHICH: async () => say(mode),
  INPUT: async () => say(JSON.stringify(blocks)),
  OTHER: (name) => act({ kind: 'other', title: name, rawInput: { q: 1 } }, () => ({ text: 'done' })),
  MODE: async (id) => update({ sessionUpdate: 'current_mode_update', currentModeId: id }),
  UNTIL: (name) => {
    writeFileSync(`${cwd}/${name}.waits`, '');
    return appears(name);
  },
  WAIT: () => new Promise((resolve) => (onCancel = resolve)),
  STUCK: () => new Promise(() => {}),
  SLEEPER: async (seconds) => {
    spawn('sleep', [seconds], { detached: true, stdio: 'ignore' }).unref();
    say('left');
  },
  DIE: async () => process.exit(3),
  FLOOD: async (size) => say('x'.repeat(size * 1024 * 1024)),
  POUR: async (text) => {
    const [count, length] = text.split(' ').map(Number);
    for (let n = 0; n < count; n += 1) say('y'.repeat(length));
  },
  MANY: async (count) => {
    for (let n = 0; n < count; n += 1) say('a piece of text ');
    for (let n = 0; n < count; n += 1)
      update({ sessionUpdate: 'tool_call', toolCallId: `m${n}`, title: `look ${n}`, status: 'completed' });
  },
  GARBAGE: async () => process.stdout.write('not json\n{"jsonrpc":"2.0","method":7}\n[]\n'),
};

/** Behind the earlier messages of a chat. */
const now = '[The message now:]\n';

const prompt = async (text) => {
  isCancelled = false;
  for (const line of text.split(now).at(-1).split('\n')) {
    const [, name, rest] = /^(\w+) ?(.*)$/s.exec(line) ?? [];
    await steps[name]?.(rest);
    if (isCancelled) return { stopReason: 'cancelled' };
  }
  update({ sessionUpdate: 'usage_update', used: 1234, size: 200_000 });
  return { stopReason: 'end_turn' };
};

const state = () => ({
  currentModeId: mode,
  availableModes: ['default', 'auto'].map((id) => ({ id, name: id })),
});

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, promptCapabilities: { image: !flags.has('--no-pictures') } },
  }),
  'session/new': (params) => {
    if (flags.has('--signed-out'))
      throw Object.assign(new Error('Authentication required'), { code: -32_000 });
    ({ cwd } = params);
    return { sessionId: 's1', ...(!flags.has('--no-modes') && { modes: state() }) };
  },
  'session/load': (params) => {
    if (existsSync(`${params.cwd}/forgets`))
      throw Object.assign(new Error('Resource not found'), { code: -32_002 });
    ({ cwd } = params);
    say('[from before]');
    return { modes: state() };
  },
  'session/set_mode': ({ modeId }) => ((mode = modeId), {}),
  'session/prompt': (params) => {
    blocks = params.prompt.slice(1);
    return prompt(params.prompt[0].text);
  },
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { error });
  if (method === 'session/cancel') {
    isCancelled = true;
    return onCancel();
  }
  try {
    write({ id, result: await methods[method](params) });
  } catch (error) {
    write({ id, error: { code: error.code ?? -32_603, message: error.message } });
  }
});
