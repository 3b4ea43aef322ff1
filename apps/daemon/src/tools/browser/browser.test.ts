import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { shared } from '../../../test/support/clean-up.ts';
import {
  allText,
  openBrowserTools,
  openSite,
  redirect,
  until,
} from '../../../test/support/browser-fixture.ts';

vi.setConfig({ testTimeout: 120_000 });

const good = 'good.example';
const evil = 'evil.example';
const unknown = 'unknown.example';

const question = (result: ToolResult) => {
  const [block] = result.content;
  const asked = confirmationText.safeDecode(block?.type === 'text' ? block.text : '');
  return asked.success ? asked.data : undefined;
};

/** The reference of an element in a snapshot: `button "Save" [ref=e3]`. */
const refOf = (snapshot: ToolResult, name: string): string => {
  const line = allText(snapshot)
    .split('\n')
    .find((one) => one.includes(name));
  return /\[ref=(\w+)\]/.exec(line ?? '')?.[1] ?? '';
};

/** One browser; the person allowed these hosts, and writing. */
const world = shared(async () => {
  const site = await openSite(() => ({}));
  const allow = [`${good}:${site.port}`, `localhost:${site.port}`];
  return { site, ...(await openBrowserTools({ allow, modes: { filesystemWrite: 'allow' } })) };
});

/** Another one: the person allowed the group, and its server is a site of its own. */
const allowed = shared(async () => {
  const [site, panel] = [await openSite(() => ({})), await openSite(() => ({}))];
  const panels = ['127.0.0.1', 'panel.example'].map((host) => `${host}:${panel.port}`);
  const serverUrl = `http://127.0.0.1:${panel.port}`;
  const modes = { browser: 'allow' } as const;
  const tools = await openBrowserTools({ allow: [`${good}:${site.port}`, ...panels], modes, serverUrl });
  return { site, panel, ...tools };
});

describeWith('chromium')('a visit', () => {
  it('asks for the host of the address, then for that of the page that is there', async () => {
    const { site, call, send } = world();
    site.serve({ '/': '<title>Hello</title><button>Save</button>' });
    const toolCall = { name: 'browser_navigate', arguments: { url: site.url(unknown, '/') } };
    const first = question(await send({ requestId: 'r', toolCall }));
    expect(first).toMatchObject({
      toolGroup: 'browser',
      resource: `${unknown}:${site.port}`,
      description: `Open ${site.url(unknown)} in the browser`,
    });
    expect(site.hits).toEqual([]);
    const answer = { ...toolCall, arguments: { ...toolCall.arguments, _confirmation: 'allowOnce' } };
    const page = await send({ requestId: 'r', toolCall: answer });
    expect(allText(page)).toContain('Page Title: Hello');
    expect(question(await call('browser_snapshot', {}))).toMatchObject({
      resource: `${unknown}:${site.port}`,
    });
    expect(question(await call('browser_tabs', { action: 'new', url: site.url(evil) }))).toMatchObject({
      resources: [{ resource: `${evil}:${site.port}` }, { resource: `${unknown}:${site.port}` }],
    });
  });

  it('SS-08, BR-05 a redirect to another host is stopped, said in words, and asks when it is followed', async () => {
    const { site, go, call } = world();
    site.serve({
      '/': redirect(site.url(evil, '/landed')),
      '/click': `<a href="${site.url(evil, '/clicked')}">next</a>`,
    });
    const result = await go(site.url(good));
    expect(result.isError).toBe(true);
    expect(allText(result)).toContain(
      `The page wanted to go to ${evil}:${site.port}, which is not allowed, so it was not loaded. browser_navigate to ${site.url(evil, '/landed')} asks the user.`,
    );
    await go(site.url(good, '/click'));
    const clicked = await call('browser_click', { target: 'a' });
    expect(allText(clicked)).toContain(`browser_navigate to ${site.url(evil, '/clicked')} asks the user`);
    expect(question(await go(site.url(evil, '/landed')))).toMatchObject({ resource: `${evil}:${site.port}` });
    expect(site.hits.filter((hit) => hit.startsWith(evil))).toEqual([]);
  });

  it('BR-02 a local address asks although the group is on allow, and a name that leads home is not reached', async () => {
    const { site, go } = allowed();
    const before = site.connections();
    expect(question(await go(site.url('127.0.0.1')))).toMatchObject({ resource: `127.0.0.1:${site.port}` });
    expect(allText(await go(site.url('rebind.example')))).toContain(
      `rebind.example:${site.port} leads to this machine or a private network`,
    );
    expect(site.connections()).toBe(before);
  });

  it('BR-03 the panel of the own server is never opened, whatever is allowed', async () => {
    const { panel, go } = allowed();
    expect(allText(await go(panel.url('127.0.0.1')))).toContain(
      'is the server that this machine is connected to',
    );
    expect(allText(await go(panel.url('panel.example')))).toContain(
      'is the server that this machine is connected to',
    );
    expect(panel.connections()).toBe(0);
  });

  it('BR-01, BR-08 other schemes and code are refused before anything starts', async () => {
    const { go, call, own } = await openBrowserTools({ modes: { browser: 'allow' } });
    for (const url of [
      'file:///etc/passwd',
      'chrome://settings',
      'javascript:alert(1)',
      'http://169.254.169.254',
    ])
      expect(allText(await go(url))).toContain('This address cannot be opened');
    for (const name of ['browser_evaluate', 'browser_run_code_unsafe'])
      expect(allText(await call(name, { function: '() => 1', code: '1' }))).toBe(
        'This machine does not offer this tool',
      );
    expect(existsSync(join(own, 'browser'))).toBe(false);
  });
});

describeWith('chromium')('what a page can be used for', () => {
  it('forms, keys, choices and a picture', async () => {
    const { site, go, call } = world();
    site.serve({
      '/': `<form><input aria-label=Name><select aria-label=Size><option>S<option>L</select><button>Send</button></form>
        <script>document.forms[0].onsubmit = (event) => { event.preventDefault();
        document.title = [...document.querySelectorAll('input, select')].map((one) => one.value).join(' ') }</script>`,
    });
    await go(site.url(good));
    const snapshot = await call('browser_snapshot', {});
    await call('browser_type', { target: refOf(snapshot, 'Name'), text: 'Ann' });
    await call('browser_select_option', { target: refOf(snapshot, 'Size'), values: ['L'] });
    const sent = await call('browser_click', { target: refOf(snapshot, 'Send') });
    expect(allText(sent)).toContain('Page Title: Ann L');
    const picture = await call('browser_take_screenshot', {});
    expect(picture.content.map((block) => block.type)).toEqual(['text', 'image']);
  });

  it('BR-07 an upload sends files of the folder that may be read, and no others', async () => {
    let body = '';
    const { site, go, call, root, outside, own } = world();
    site.serve({
      '/': '<form method=post action=/up enctype=multipart/form-data><input type=file name=f><button>Send</button></form>',
      '/up': (request, response) => {
        request.on('data', (chunk) => (body += String(chunk)));
        request.on('end', () => response.end('thanks'));
      },
    });
    writeFileSync(join(root, 'a.txt'), 'my file');
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    await go(site.url(good));
    for (const path of [
      '../outside/secret.txt',
      join(outside, 'secret.txt'),
      join(own, 'settings.json'),
      '/etc/passwd',
    ]) {
      await call('browser_click', { target: 'input' });
      expect((await call('browser_file_upload', { paths: [path] })).isError).toBe(true);
      await call('browser_file_upload', {});
    }
    await call('browser_click', { target: 'input' });
    await call('browser_file_upload', { paths: ['a.txt'] });
    await call('browser_click', { target: 'button' });
    expect(body).toContain('filename="a.txt"');
    expect(body).toContain('my file');
    expect(body).not.toContain('secret');
  });

  it('BR-07 a download is kept aside until a call saves it where a new file is allowed', async () => {
    const { site, go, call, root, outside, base } = world();
    const before = readdirSync(root);
    site.serve({
      '/': '<a href="/file">get</a>',
      '/file': (_request, response) => {
        response.setHeader('content-disposition', 'attachment; filename="../../../evil.sh"');
        response.end('content');
      },
    });
    await go(site.url(good));
    const descriptor = await until(
      () => call('browser_wait_for', { time: 0.1 }),
      'kept aside',
      allText(await call('browser_click', { target: 'a' })),
    );
    expect(descriptor).toContain('A download is kept aside as d1: ');
    expect([readdirSync(root), readdirSync(outside), existsSync(join(base, 'evil.sh'))]).toEqual([
      before,
      ['secret.txt'],
      false,
    ]);
    const save = (filePath: string) => call('browser_save_download', { download: 'd1', filePath });
    mkdirSync(join(root, '.git'));
    for (const path of ['../outside/x', '/tmp/x', '.git/config', '.bashrc'])
      expect((await save(path)).isError).toBe(true);
    expect(allText(await save('in/new.txt'))).toBe('{"filePath":"in/new.txt","bytes":7}');
    expect(readFileSync(join(root, 'in/new.txt'), 'utf8')).toBe('content');
    expect(statSync(join(root, 'in/new.txt')).mode & 0o111).toBe(0);
    expect(allText(await save('in/new.txt'))).toBe('Something already exists at this path');
    expect((await call('browser_save_download', { download: 'd2', filePath: 'x' })).isError).toBe(true);
  });

  it('BR-07 saving a download asks as writing does', async () => {
    const { site, go, call } = allowed();
    site.serve({ '/': '<a href="/file" download>get</a>', '/file': 'hello' });
    await go(site.url(good));
    await until(
      () => call('browser_wait_for', { time: 0.1 }),
      'kept aside',
      allText(await call('browser_click', { target: 'a' })),
    );
    expect(question(await call('browser_save_download', { download: 'd1', filePath: 'x' }))).toMatchObject({
      toolGroup: 'filesystemWrite',
    });
  });

  it('BR-10 dialogs, permissions and passwords are answered with no', async () => {
    const { site, go, call } = world();
    site.serve({
      '/': `<script>onbeforeunload = (event) => event.preventDefault();</script><button onclick="document.title = confirm('sure?')">Ask</button>`,
      '/permission': `<script>
        const soon = (ask) => Promise.race([
          new Promise((done) => ask(() => done('granted'), () => done('no'))).catch(() => 'no'),
          new Promise((done) => setTimeout(done, 500, 'open')),
        ]);
        Promise.all([
          soon((yes, no) => navigator.geolocation.getCurrentPosition(yes, no)),
          soon((yes, no) => navigator.mediaDevices.getUserMedia({ video: true }).then(yes, no)),
          soon((yes, no) => navigator.clipboard.readText().then(yes, no)),
          soon((yes, no) => Notification.requestPermission().then((all) => (all === 'granted' ? yes() : no()))),
        ]).then((all) => { document.title = 'asked ' + all.join(' ') })</script>`,
      '/password': (_request, response) => {
        response.writeHead(401, { 'www-authenticate': 'Basic realm=x' });
        response.end('<title>refused</title>');
      },
    });
    await go(site.url('localhost'));
    expect(allText(await call('browser_click', { target: 'button' }))).toContain(
      '"confirm" dialog with message "sure?"',
    );
    // Any other tool closes the dialog with no.
    expect(allText(await call('browser_snapshot', {}))).toContain('Page Title: false');
    await call('browser_click', { target: 'button' });
    await call('browser_handle_dialog', { accept: true });
    expect(allText(await call('browser_snapshot', {}))).toContain('Page Title: true');
    await go(site.url('localhost', '/permission'));
    const permissions = await until(() => call('browser_snapshot', {}), 'Page Title: asked');
    expect(permissions).toContain('Page Title: asked');
    expect(permissions).not.toContain('granted');
    expect(allText(await go(site.url('localhost', '/password')))).toContain('Page Title: refused');
  });
});
