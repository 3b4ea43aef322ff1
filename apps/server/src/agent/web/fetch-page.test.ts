import { createFakeClock, systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asHtml, openWebSite } from '../../../test/web-site.ts';
import { createWeb } from './fetch-page.ts';

/** A busy machine is no reason to fail. */
const patient = { heapMiB: 128, ms: 60_000 };

type Needs = Partial<Parameters<typeof createWeb>[0]>;

const open = async (needs: Needs = {}) => {
  const site = await openWebSite();
  const web = createWeb({ clock: systemClock, outside: site.outside, extractLimits: patient, ...needs });
  onTestFinished(() => web.close());
  const read = async (path = 'ok.example/docs/page') => {
    const { signal } = new AbortController();
    const fetched = await web.fetch(`http://${path}`, { mayFollow: () => true, signal });
    if (fetched.kind === 'redirect') throw new Error(fetched.url);
    return fetched.page;
  };
  const readHtml = (html: string) => {
    site.pages.set('ok.example/docs/page', asHtml(html));
    return read();
  };
  return { ...site, web, read, readHtml };
};

const prose =
  'A long sentence that a reader of articles takes for the text of one, with commas, and more. '.repeat(6);

describe('a page of HTML', () => {
  it('SS-14 is markdown with absolute links, without scripts, pictures and hidden text', async () => {
    const { readHtml, asked } = await open();
    const page = await readHtml(`<!doctype html><title>The  title</title><body><article>
      <h2>Heading</h2><p>${prose}<a href="../next?a=1">next</a> <a href="javascript:alert(1)">click</a></p>
      <p style="display: none">hidden one</p><p hidden>hidden two</p><p style="font-size:0">hidden three</p>
      <p aria-hidden="true">hidden four</p><script>hidden5()</script><!-- hidden six -->
      <img src="http://tracker.example/?q=1" alt="a chart"><iframe src="http://frame.example/"></iframe>
      <table><tr><th>Name</th><th>Size</th></tr><tr><td>one</td><td>2</td></tr></table>
    </article></body>`);
    expect(page).toMatchObject({ url: 'http://ok.example/docs/page', title: 'The title' });
    expect(page.markdown).toContain('## Heading');
    expect(page.markdown).toContain('[next](<http://ok.example/next?a=1>)');
    expect(page.markdown).toContain('| one | 2 |');
    expect(page.markdown).toContain('a chart');
    expect(page.markdown).not.toMatch(/hidden|javascript|tracker|frame\.example|<script/);
    expect(asked).toEqual(['ok.example/docs/page']);
  });

  it('is read as a whole where it has no article', async () => {
    const { readHtml } = await open();
    const { markdown } = await readHtml(
      '<ul><li><a href="/a">one</a></li><li><a href="data:x,y">two</a></li></ul>',
    );
    expect(markdown).toContain('[one](<http://ok.example/a>)');
    expect(markdown).toContain('two');
    expect(markdown).not.toContain('data:');
  });

  it.each([257, 5_000])(
    'SS-14 %d nested elements are read as plain text, without what is hidden',
    async (depth) => {
      const { readHtml } = await open();
      const nested = `${'<div>'.repeat(depth)}<a href="/a">deep</a><p hidden>secret</p>${'</div>'.repeat(depth)}`;
      const page = await readHtml(`<title>Deep</title>${nested}<script>x()</script>`);
      expect(page).toMatchObject({ title: 'Deep', markdown: 'deep' });
    },
  );

  it('SS-14 one that outlives its time in the worker ends with a sentence, and holds up no other', async () => {
    const clock = createFakeClock();
    const { readHtml, read, pages } = await open({ clock, extractLimits: { ...patient, ms: 5_000 } });
    const slow = '<div>'.repeat(200_000) + '</p></i>'.repeat(200_000);
    const failing = expect(readHtml(slow)).rejects.toThrow('could not be read as text');
    // One timer for the fetch, one for its worker.
    await expect.poll(() => clock.waiting()).toBe(2);
    pages.set('ok.example/fine', asHtml('<p>fine</p>'));
    expect(await read('ok.example/fine')).toMatchObject({ markdown: 'fine' });
    await clock.settle(5_000);
    expect(clock.waiting()).toBe(2);
    await clock.settle(5_000);
    await failing;
  });

  it('SS-14 one that outgrows the memory of the worker is read as plain text', async () => {
    const { readHtml } = await open({ extractLimits: { heapMiB: 40, ms: 30_000 } });
    const { markdown } = await readHtml('<b>x</b>'.repeat(150_000));
    expect([markdown.length, markdown.slice(0, 4)]).toEqual([150_000, 'xxxx']);
  });
});

describe('other contents', () => {
  it.each([
    ['text/markdown', '# Title', '# Title'],
    ['application/json; charset=utf-8', '{"a":1}', '{"a":1}'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xe9]), 'é'],
    ['text/plain; charset=unknown', 'é', 'é'],
  ])('%s is text as it is', async (type, body, markdown) => {
    const { pages, read } = await open();
    pages.set('ok.example/file', (reply) => reply.writeHead(200, { 'content-type': type }).end(body));
    expect(await read('ok.example/file')).toMatchObject({ title: '', markdown });
  });

  it.each([
    ['application/pdf', '%PDF-1.7'],
    ['image/png', 'x'],
    ['text/html', 'a\0b'],
    ['text/plain', 'a\0b'],
  ])('SS-09 %s that is no text is refused', async (type, body) => {
    const { pages, read } = await open();
    pages.set('ok.example/file', (reply) => reply.writeHead(200, { 'content-type': type }).end(body));
    await expect(read('ok.example/file')).rejects.toThrow('not to a page of text');
  });

  it('SS-09 all of it takes at most 30 s: an answer that drips is cut', async () => {
    const timers: (() => void)[] = [];
    const after = (_ms: number, run: () => void) => {
      timers.push(run);
      return () => {};
    };
    const clock = { ...systemClock, after };
    const { pages, read } = await open({ clock });
    pages.set('ok.example/drip', (reply) => {
      reply.writeHead(200, { 'content-type': 'text/plain' }).write('a');
      for (const run of timers) run();
    });
    await expect(read('ok.example/drip')).rejects.toThrow('longer than 30 seconds');
  });
});
