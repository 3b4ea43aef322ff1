import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quickClock, textOf } from '../../../test/support/tool-fixture.ts';
import { mcpLimits } from './within-limits.ts';
import { isAlive, until, withServer } from '../../../test/support/scripted-mcp-server.ts';

describe('what a server lists', () => {
  it.each<[string, string, string[], RegExp]>([
    [
      'MC-19 DH-08 names that could pass for others',
      `tools = [tool('ok'), tool('a b'), tool('wr\\u0456te'), tool('__proto__'), tool(''), tool(7)]`,
      ['own__ok', 'own____proto__'],
      /^own: tool "a b" was skipped: name: .*, and 3 more: see its log$/,
    ],
    [
      'MC-19 the same name twice',
      `tools = [tool('one', { description: 'first' }), tool('one', { description: 'second' })]`,
      ['own__one'],
      /^own: tool "one" was skipped: the name is taken$/,
    ],
    [
      'a name that is too long with the server in front',
      `tools = [tool('ok'), tool('x'.repeat(60))]`,
      ['own__ok'],
      /with the server's name it is too long$/,
    ],
    [
      'DH-09 a schema that is too big',
      `tools = [tool('ok'), tool('wide', { inputSchema: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => ['p' + at, {}])) })]`,
      ['own__ok'],
      /tool "wide" was skipped: its schema is too big$/,
    ],
    [
      'DH-09 a schema that is too deep',
      `on['tools/list'] = (_params, id) => {
         const text = JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [tool('ok'), tool('deep', { inputSchema: 'DEEP' })] } });
         process.stdout.write(text.replace('"DEEP"', '{"p":'.repeat(20000) + '{}' + '}'.repeat(20000)) + '\\n');
       };`,
      ['own__ok'],
      /tool "deep" was skipped: its schema is too big$/,
    ],
    [
      'DH-09 a description that is too long',
      `tools = [tool('ok'), tool('long', { description: 'x'.repeat(5_000_000) })]`,
      ['own__ok'],
      /tool "long" was skipped: description: /,
    ],
  ])('%s', async (_name, script, expected, sentence) => {
    const { names, said } = await withServer(script);
    expect(names()).toEqual(expected);
    expect(said).toEqual([expect.stringMatching(sentence)]);
  });

  it('DH-09 ten thousand tools: no more than fit beside the machine’s own are offered', async () => {
    const { names, said } = await withServer(
      `tools = Array.from({ length: 10000 }, (_, at) => tool('t' + at))`,
    );
    expect(names().length).toBe(mcpLimits.maxTools);
    expect(said).toEqual([
      'own: it lists too many tools; the rest is left out',
      '872 MCP tools are left out: there are too many',
    ]);
  });

  it('pages without an end are not read without an end', async () => {
    const { names, said } = await withServer(
      `let page = 0; on['tools/list'] = () => ({ tools: [tool('t' + (page += 1))], nextCursor: String(page) });`,
    );
    expect([names().length, said]).toEqual([100, ['own: it lists too many tools; the rest is left out']]);
  });

  it('a pattern in a schema is never run', async () => {
    const { call } = await withServer(
      `tools = [tool('p', { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } },
        outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } } })];
       on['tools/call'] = () => ({ content: [], structuredContent: { a: 'a'.repeat(60) + '!' } });`,
    );
    expect(await call('own__p', { a: 'x' })).toMatchObject({ structuredContent: {} });
  });

  it('hints pass as hints, and change nothing: each tool counts as one that destroys', async () => {
    const { offered, toolbox } = await withServer(
      `tools = [tool('safe', { annotations: { readOnlyHint: true, destructiveHint: false, title: 'Safe', category: 'filesystem' } })]`,
    );
    expect(offered()).toEqual([
      {
        name: 'own__safe',
        title: 'Safe',
        description: '',
        inputSchema: { type: 'object' },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          title: 'Safe',
          category: 'mcp',
          asksClient: true,
        },
      },
    ]);
    expect(toolbox.find('own__safe')?.effect).toBe('destroys');
  });

  it('a list that changes all the time is read once in a second at most', async () => {
    const { offered, call } = await withServer(
      `let lists = 0;
       const startedAt = Date.now();
       on['tools/list'] = () => ({ tools: [tool('echo', { description: String(lists += 1) })] });
       on['tools/call'] = () => text(JSON.stringify([lists, Date.now() - startedAt]));
       on['notifications/initialized'] = () => {
         setInterval(() => { for (let at = 0; at < 20; at += 1) write({ method: 'notifications/tools/list_changed' }); }, 5);
       };`,
      { modes: { mcp: 'allow' }, clock: quickClock },
    );
    await until(() => expect(Number(offered()[0]?.description)).toBeGreaterThan(3));
    // What the script has just written.
    const [lists, ms] = JSON.parse(textOf(await call('own__echo', {}))) as [number, number];
    expect(lists).toBeLessThanOrEqual(2 + (ms * 10) / 1_000);
  });
});

describe('what a server does beside', () => {
  it('LG-02 LG-06 what is no message, and stderr, stand in a private log, each one line', async () => {
    const { call, own } = await withServer(
      `console.log('hello \\x1b[2J\\u2028there'); console.error('sess_' + 'k'.repeat(32)); console.log('{"jsonrpc":"1.0"}'); console.log('null');`,
    );
    expect(textOf(await call('own__echo', { a: 1 }))).toBe('{"a":1}');
    const log = join(own, 'logs/mcp-own.log');
    await until(() => expect(readFileSync(log, 'utf8').split('\n').length).toBeGreaterThan(4));
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines.map((line) => line.slice(25)).toSorted()).toEqual(
      [
        'stderr sess_…',
        'stdout hello \\x1b[2J\\u{2028}there',
        'stdout null',
        'stdout {"jsonrpc":"1.0"}',
      ].toSorted(),
    );
    expect([statSync(log).mode & 0o777, statSync(join(own, 'logs')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it.runIf(process.platform === 'linux')('RX-16 a log does not grow without an end', async () => {
    const { own } = await withServer(`setInterval(() => console.error('y'.repeat(1500)), 0);`);
    const log = join(own, 'logs/mcp-own.log');
    await until(() => expect(existsSync(`${log}.1`)).toBe(true));
    expect(statSync(`${log}.1`).size).toBeLessThan(3 * 1024 * 1024);
  });

  it.runIf(process.platform === 'linux')(
    'what it started ends with it, also what left its group',
    async () => {
      const { outside, toolbox } = await withServer(
        `process.on('SIGTERM', () => {});
       const child = spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { detached: true, stdio: 'ignore' });
       fs.writeFileSync(__dirname + '/pids', process.pid + ' ' + child.pid);`,
        { modes: { mcp: 'allow' }, clock: quickClock },
      );
      const pids = readFileSync(join(outside, 'pids'), 'utf8').split(' ').map(Number);
      expect(pids.map(isAlive)).toEqual([true, true]);
      await toolbox.close();
      // The parent of the second has ended: the system removes it a moment after it was killed.
      await until(() => expect(pids.map(isAlive)).toEqual([false, false]));
    },
  );

  it('gets a small environment, and no program from the folder that tools write in', async () => {
    const before = process.env['PATH'];
    process.env['SECRET_KEY'] = 'x';
    process.env['NODE_OPTIONS'] = '--no-warnings';
    try {
      const { call, server, servers, root } = await withServer(
        `on['tools/call'] = () => text(JSON.stringify([process.env, process.cwd()]));`,
      );
      const usual = (before ?? '').split(':').filter((folder) => isAbsolute(folder) && existsSync(folder));
      process.env['PATH'] = [root, 'relative', '.', `${root}-gone`, ...usual].join(':');
      await servers.add('own', { ...server, env: { MINE: '1' } });
      await until(async () => expect(textOf(await call('own__echo', {}))).toContain('"MINE":"1"'));
      // What the script has just written.
      const [env, cwd] = JSON.parse(textOf(await call('own__echo', {}))) as [Record<string, string>, string];
      const { PATH, DRAWBRIDGE_CALL, ...rest } = env;
      const kept = ['HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'TZ', 'MINE'];
      expect([PATH, Object.keys(rest).filter((name) => !kept.includes(name))]).toEqual([usual.join(':'), []]);
      expect([DRAWBRIDGE_CALL, cwd.startsWith(root)]).toEqual([expect.stringMatching(/^mcp-/), false]);
    } finally {
      process.env['PATH'] = before;
      delete process.env['SECRET_KEY'];
      delete process.env['NODE_OPTIONS'];
    }
  });

  it('can use no model, and a caller that cannot be asked is not asked', async () => {
    const { call, outside } = await withServer(
      `on['tools/call'] = () => {
         write({ id: 'x1', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
         write({ id: 'x2', method: 'elicitation/create', params: { message: 'Your key?', requestedSchema: { type: 'object', properties: {} } } });
         write({ id: 'x3', method: 'roots/list' });
         return text('asked');
       };
       process.stdin.on('data', (chunk) => fs.appendFileSync(__dirname + '/heard', chunk));`,
    );
    await call('own__echo', {});
    await until(() => {
      const heard = readFileSync(join(outside, 'heard'), 'utf8');
      expect(heard.match(/"error":\{"code":-32601/g)?.length).toBe(2);
      expect(heard).toContain('{"result":{"action":"cancel"},"jsonrpc":"2.0","id":"x2"}');
    });
  });
});

it('a fresh file beside a broken server: the list of one does not touch the other', async () => {
  const { servers, names, outside, said } = await withServer();
  writeFileSync(join(outside, 'broken.cjs'), 'process.exit(1)');
  await servers.add('bad', { command: process.execPath, args: [join(outside, 'broken.cjs')], env: {} });
  await servers.add('none', { command: join(outside, 'no-such-program'), args: [], env: {} });
  await until(() =>
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/^bad: cannot be used: /),
      expect.stringMatching(
        /^none: cannot be used: there is no such program; its output is in .*mcp-none\.log$/,
      ),
    ]),
  );
  expect(names()).toEqual(['own__echo']);
});
