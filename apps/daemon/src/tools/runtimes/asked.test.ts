import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { shareRuntime, turnOf } from '../../../test/support/runtime-fixture.ts';

describeWith('bubblewrap')('what a coding agent asks in its turn', () => {
  const open = shareRuntime();

  it('RT-02 each of its requests is a question of the gate, and a lasting yes holds for that agent alone', async () => {
    const { turn, state, root, call, rules } = open();
    state.answer = () => 'alwaysAllow';
    await turn(['RUN touch made.txt']);
    await turn(['RUN touch made.txt']);
    expect(existsSync(join(root, 'made.txt'))).toBe(true);
    expect(state.opened).toHaveLength(2);
    expect(state.questions).toMatchObject([
      { title: 'Stand-in: run touch made.txt?', toolGroup: 'shell', resource: `"${root}" $ touch made.txt` },
    ]);
    expect(questionOf(await call('shell_execute', { command: 'touch made.txt' }))).toBeDefined();
    expect(rules()).toEqual([
      expect.stringMatching(/: touch made\.txt, only for the coding agent stand-in$/),
    ]);
  });

  it('RT-02 a command is asked about in the folder that it runs in', async () => {
    const { turn, state, root } = open();
    mkdirSync(join(root, 'sub'));
    await turn(['RUN touch here.txt'], { folder: 'sub' });
    expect(state.questions).toMatchObject([{ resource: `"${join(root, 'sub')}" $ touch here.txt` }]);
    expect(existsSync(join(root, 'sub/here.txt'))).toBe(true);
  });

  it('RT-02 what it asks beside files and commands has no lasting yes', async () => {
    const { turn, state } = open();
    await turn(['OTHER fetch']);
    expect(state.questions).toMatchObject([
      {
        title: 'Stand-in: use fetch?',
        toolGroup: 'runtime',
        options: ['allowOnce', 'denyOnce', 'alwaysDeny'],
      },
    ]);
  });

  it('RT-02 two requests for one action are two questions, and one no is enough; no title hides characters', async () => {
    const { turn, state, root } = open();
    state.answer = () => (state.questions.length === 2 ? 'denyOnce' : 'allowOnce');
    await turn(['TWICE touch no.txt', 'TWICE touch yes.txt', 'OTHER fe\u001b[2Jtch\u202e']);
    expect(['no.txt', 'yes.txt'].map((name) => existsSync(join(root, name)))).toEqual([false, true]);
    expect(state.questions.map(({ title }) => title)).toEqual([
      ...['no.txt', 'no.txt', 'yes.txt', 'yes.txt'].map((name) => `Stand-in: run touch ${name}?`),
      String.raw`Stand-in: use “fe\x1b[2Jtch\u{202e}”?`,
    ]);
  });

  it.each(['denyOnce', 'withdrawn'] as const)(
    'RT-03 %s: it reads no, with the words of its person, and is not asked again',
    async (answer) => {
      const { turn, state, root } = open();
      Object.assign(state, { answer: () => answer, denialReason: 'not on a Fri\u202eday' });
      const lines = ['RUN touch no.txt', 'RUN touch no.txt', 'SAY sorry'];
      const { events } = turnOf(await turn(lines, { runtime: 'acp:claude' }));
      expect(existsSync(join(root, 'no.txt'))).toBe(false);
      expect(state.questions).toHaveLength(1);
      expect(events.filter((event) => event.type === 'action-end')).toMatchObject([
        { status: 'denied', text: String.raw`The person said no: not on a Fri\u{202e}day` },
        { status: 'denied', text: 'This was denied before in this turn' },
      ]);
    },
  );

  it('RT-07 an edit is shown as a diff from the disk; what rules and walls protect is refused unasked', async () => {
    const { turn, state, root } = open();
    writeFileSync(join(root, 'a.txt'), 'old\n');
    mkdirSync(join(root, '.git'));
    await turn(['EDIT a.txt new', 'EDIT .git/config [core]', 'EDIT ../outside.txt x']);
    expect(state.questions).toMatchObject([
      {
        title: 'Stand-in: change a.txt?',
        toolGroup: 'filesystemWrite',
        resource: join(root, 'a.txt'),
        preview: { kind: 'diff', path: 'a.txt', added: 1, removed: 1 },
      },
    ]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new');
    expect(state.opened).toHaveLength(3);
    expect(existsSync(join(root, '.git/config'))).toBe(false);
  });

  it('RT-07 a deny rule for a folder refuses changes without a question, and the agent reads why', async () => {
    const { turn, state, root, addRules, clearRules } = open();
    mkdirSync(join(root, 'secret'));
    await addRules('deny', [
      { toolGroup: 'filesystemWrite', resource: join(root, 'secret'), reach: 'folder' },
    ]);
    const lines = ['WRITE secret/a.txt x', 'QUOTE', 'WRITE b.txt x'];
    const { events } = turnOf(await turn(lines, { runtime: 'acp:claude' }));
    await clearRules();
    expect(state.questions.map(({ title }) => title)).toEqual(['Stand-in: change b.txt?']);
    expect(existsSync(join(root, 'secret/a.txt'))).toBe(false);
    const said = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
    expect(said).toEqual([expect.stringContaining('secret')]);
  });

  it('RT-07 a part of a file is shown in the whole of it', async () => {
    const { turn, state, root } = open();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
    await turn(['PATCH a.txt two three']);
    expect(state.questions).toMatchObject([{ preview: { kind: 'diff', added: 1, removed: 1 } }]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\nthree\n');
  });

  it('RT-07 changes of several files are shown from the disk, not as the program says that they are', async () => {
    const { turn, state, root } = open();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
    const edits = (oldText: string | null) => {
      const changed = { path: 'a.txt', oldText, newText: 'three\n' };
      return `EDITS ${JSON.stringify([changed, { path: 'b.txt', newText: 'new\n' }])}`;
    };
    // As if nothing changed.
    await turn([edits('three\n')]);
    expect(state.questions).toEqual([]);
    // As if it were new.
    await turn([edits(null)]);
    const text: unknown = expect.stringMatching(/-one\n-two\n\+three\n[^]*\+new\n/);
    expect(state.questions).toMatchObject([
      { title: 'Stand-in: change a.txt and 1 more?', preview: { text } },
    ]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('three\n');
  });

  it('RT-07 a file that changes while its edit is asked about is shown and asked about anew', async () => {
    const { turn, state, root } = open();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
    state.answer = () => {
      if (state.questions.length === 1) writeFileSync(join(root, 'a.txt'), 'zero\none\ntwo\n');
      return 'allowOnce';
    };
    await turn(['EDIT a.txt two three'], { runtime: 'acp:claude' });
    expect(state.questions).toMatchObject([{ preview: { hunks: [{ oldStart: 1 }] } }, { preview: {} }]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('zero\none\nthree\n');
  });

  it('RT-07 one that would replace all of a file that has changed is refused: no diff shows what it does', async () => {
    const { turn, state, root } = open();
    const file = join(root, 'a.txt');
    writeFileSync(file, 'one\n');
    state.answer = () => (writeFileSync(file, 'zero\none\n'), 'allowOnce');
    const { events } = turnOf(await turn(['EDIT a.txt new']));
    expect(events.at(-2)).toMatchObject({ text: 'The file has changed since the coding agent read it' });
    expect([state.questions.length, readFileSync(file, 'utf8')]).toEqual([1, 'zero\none\n']);
  });
});
