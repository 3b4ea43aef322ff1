/** What the person set up, what a command then writes, and what the person does. */
export type Attack = [name: string, setUp: string, command: string, person: string];

const put = (path: string) =>
  `mkdir -p "$(dirname ${path})"; cp -f ../evil "$(dirname ${path})/fresh" && mv -f "$(dirname ${path})/fresh" ${path}`;
export const script = (path: string) =>
  `mkdir -p "$(dirname ${path})"; printf '#!/bin/sh\\ntimeout 1 cat\\n' > ${path}; chmod +x ${path}`;
export const change = 'echo more >> a.txt; git add a.txt; git commit -qm more';

export const attacks: Attack[] = [
  [
    'NG-01 core.hooksPath, a hook that is there',
    `git config core.hooksPath .hooks; ${script('.hooks/pre-commit')}`,
    put('.hooks/pre-commit'),
    change,
  ],
  [
    'NG-01 core.hooksPath of husky, a new hook',
    'mkdir -p .husky/_; echo x > .husky/_/h; git config core.hooksPath .husky/_',
    put('.husky/_/post-commit'),
    change,
  ],
  [
    'NG-01 core.hooksPath, a folder that is not there yet',
    'git config core.hooksPath my/hooks',
    put('my/hooks/post-commit'),
    change,
  ],
  [
    'NG-01 core.hooksPath is the working tree',
    'git config core.hooksPath "$PWD"',
    put('post-commit'),
    change,
  ],
  [
    'NG-01 a folder above the hooks is another one',
    `git config core.hooksPath my/hooks; ${script('my/hooks/pre-commit')}`,
    `mv my mine; ${put('my/hooks/pre-commit')}`,
    change,
  ],
  [
    'NG-01 the folder of hooks is a link',
    `git config core.hooksPath hooks; ${script('real/pre-commit')}; ln -s real hooks`,
    `${put('real/pre-commit')}; rm hooks; ${put('hooks/pre-commit')}`,
    change,
  ],
  [
    'NG-02 include.path',
    'git config include.path ../.gitshared; touch .gitshared',
    `printf '[core]\\nfsmonitor=%s\\n' "$PWD/../evil" >> .gitshared`,
    'git status',
  ],
  [
    'NG-02 include.path, a file that is not there',
    'git config include.path ../.gitshared',
    `printf '[core]\\nfsmonitor=%s\\n' "$PWD/../evil" >> .gitshared`,
    'git status',
  ],
  [
    'NG-02 includeIf of another branch',
    'git config includeIf.onbranch:other.path ../shared',
    `printf '[core]\\nfsmonitor=%s\\n' "$PWD/../evil" > shared`,
    'git checkout -qb other; git status',
  ],
  [
    'NG-02 an include in an include',
    `git config include.path ../one; printf '[include]\\npath=two\\n' > one`,
    `printf '[core]\\nfsmonitor=%s\\n' "$PWD/../evil" > two`,
    'git status',
  ],
  [
    'NG-02 filter.clean',
    `git config filter.x.clean ./tools/clean.sh; ${script('tools/clean.sh')}; echo '* filter=x' > .gitattributes`,
    put('tools/clean.sh'),
    change,
  ],
  [
    'NG-02 filter.process',
    `git config filter.x.process 'tools/process --all'; ${script('tools/process')}; echo '* filter=x' > .gitattributes`,
    put('tools/process'),
    change,
  ],
  [
    'NG-02 a filter through an interpreter',
    `git config filter.x.clean 'sh clean'; ${script('clean')}; echo '* filter=x' > .gitattributes`,
    put('clean'),
    change,
  ],
  [
    'NG-02 a filter with quotes, a variable and a folder',
    `git config filter.x.clean 'sh -c "cd tools && ./my.sh"'; ${script('tools/my.sh')}; echo '* filter=x' > .gitattributes`,
    put('tools/my.sh'),
    change,
  ],
  [
    'NG-02 a filter at the top of the working tree',
    `git config filter.x.clean '"$(git rev-parse --show-toplevel)"/tools/clean'; ${script('tools/clean')}; echo '* filter=x' > .gitattributes`,
    put('tools/clean'),
    change,
  ],
  [
    'NG-02 a filter in Python',
    `git config filter.x.clean 'python3 tools'; mkdir tools; echo 'import sys; sys.stdout.write(sys.stdin.read())' > tools/__main__.py; echo '* filter=x' > .gitattributes`,
    `echo 'import os; os.system("../evil")' > tools/__main__.py`,
    change,
  ],
  [
    'NG-02 core.fsmonitor',
    `git config core.fsmonitor tools/watch; ${script('tools/watch')}`,
    put('tools/watch'),
    'git status',
  ],
  [
    'NG-02 diff.external',
    `git config diff.external ./show; ${script('show')}`,
    put('show'),
    'echo b >> a.txt; git diff',
  ],
  [
    'NG-02 diff.textconv',
    `git config diff.x.textconv ./show; ${script('show')}; echo '* diff=x' > .gitattributes`,
    put('show'),
    'echo b >> a.txt; git diff',
  ],
  [
    'NG-02 diff.command',
    `git config diff.x.command tools/show; ${script('tools/show')}; echo '* diff=x' > .gitattributes`,
    put('tools/show'),
    'echo b >> a.txt; git diff',
  ],
  [
    'NG-02 merge.driver',
    `git config merge.x.driver './join %A'; ${script('join')}; echo '* merge=x' > .gitattributes; git checkout -qb side; ${change}; git checkout -q -; echo other >> a.txt; git commit -qam other`,
    put('join'),
    'git merge side',
  ],
  [
    'NG-02 gpg.program',
    `git config gpg.program "$PWD/sign"; ${script('sign')}`,
    put('sign'),
    'git commit -S --allow-empty -m signed',
  ],
  [
    'NG-02 core.sshCommand',
    `git config core.sshCommand ./ssh; ${script('ssh')}`,
    put('ssh'),
    'git fetch ssh://example.org/x',
  ],
  [
    'NG-02 core.editor',
    `git config core.editor ./edit; ${script('edit')}`,
    put('edit'),
    'git commit --allow-empty',
  ],
  [
    'NG-02 sequence.editor',
    `git config sequence.editor ./edit; ${script('edit')}`,
    put('edit'),
    'git commit -qam more; git rebase -i HEAD~1',
  ],
  [
    'NG-02 credential.helper',
    `git config credential.helper "!./ask"; ${script('ask')}`,
    put('ask'),
    'printf "protocol=https\\nhost=example.org\\n\\n" | git credential fill',
  ],
  [
    'NG-02 core.askPass',
    `git config core.askPass "$PWD/ask"; ${script('ask')}`,
    put('ask'),
    'printf "protocol=https\\nhost=example.org\\n\\n" | setsid git credential fill',
  ],
  ['NG-02 an alias', `git config alias.go '!./go now'; ${script('go')}`, put('go'), 'git go'],
  [
    'NG-02 an alias with a setting',
    `git config alias.go '-c core.fsmonitor=tools/watch status'; ${script('tools/watch')}`,
    put('tools/watch'),
    'git go',
  ],
  [
    'NG-02 difftool',
    `git config difftool.x.cmd './show $LOCAL'; ${script('show')}`,
    put('show'),
    'echo b >> a.txt; git difftool -y -t x',
  ],
  [
    'NG-02 core.attributesFile',
    `git config core.attributesFile attributes; git config filter.x.clean ./clean; ${script('clean')}`,
    `${put('clean')}; echo '* filter=x' > attributes`,
    change,
  ],
  [
    'NG-02 remote.uploadpack',
    `git config remote.o.url .; git config remote.o.uploadpack ./pack; ${script('pack')}`,
    put('pack'),
    'git fetch o',
  ],
  [
    'NG-02 an address that starts a program',
    `git config remote.o.url 'ext::./tools/talk %S'; git config protocol.ext.allow always; ${script('tools/talk')}`,
    put('tools/talk'),
    'git fetch o',
  ],
  [
    'NG-02 submodule.update',
    `git init -q ../sub$$; git -C ../sub$$ commit -q --allow-empty -m s; git -c protocol.file.allow=always submodule --quiet add ../sub$$ s; git commit -qm s; git config submodule.s.update '!./up'; ${script('s/up')}`,
    put('s/up'),
    'git -C s checkout -q --orphan x; git -C s commit -q --allow-empty -m y; git submodule update',
  ],
  [
    'NG-02 init.templateDir',
    `git config init.templateDir template; ${script('template/hooks/post-commit')}`,
    put('template/hooks/post-commit'),
    'git -c init.templateDir="$PWD/template" init -q n; cd n; git commit -q --allow-empty -m n',
  ],
  [
    'NG-02 trailer.cmd',
    `git config trailer.x.key X; git config trailer.x.cmd ./say; ${script('say')}`,
    put('say'),
    'echo m | git interpret-trailers --trailer x=1',
  ],
  [
    'NG-02 an unknown key of another program',
    `git config lfs.extension.x.clean './ext %f'; ${script('ext')}`,
    put('ext'),
    './ext < /dev/null',
  ],
  [
    'NG-02 settings with quotes, escapes and continued lines',
    `printf '[filter "a\\\\"b"]\\n\\tclean = "./to\\\\\\nols/clean.sh" # comment\\n' >> .git/config; ${script('tools/clean.sh')}; echo '* filter=a"b' > .gitattributes`,
    put('tools/clean.sh'),
    change,
  ],
];

/** A repository with one commit. */
export const begin = 'git init -q; echo one > a.txt; git add a.txt; git commit -qm one';
