import { words } from '../../text/words.ts';

/** Keys with which git runs nothing and reads nothing elsewhere; `*` stands for a name in quotes. */
const safeKeys = new Set(
  words(`
    core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
    core.symlinks core.autocrlf core.eol core.safecrlf core.quotepath core.abbrev core.sharedrepository
    extensions.objectformat extensions.refstorage init.defaultbranch user.name user.email
    remote.*.url remote.*.fetch remote.*.pushurl remote.*.mirror remote.*.prune remote.*.tagopt
    branch.*.remote branch.*.merge branch.*.rebase branch.*.description pull.rebase pull.ff push.default
    push.autosetupremote fetch.prune merge.ff merge.conflictstyle rebase.autostash rerere.enabled
    submodule.active submodule.*.active submodule.*.url receive.denycurrentbranch gc.auto commit.gpgsign tag.gpgsign
    color.ui advice.detachedhead
  `),
);

/** Keys that name files and folders which git does not run. */
const dataKeys = new Set(
  words(`
    core.worktree core.excludesfile commit.template blame.ignorerevsfile mailmap.file gpg.ssh.allowedsignersfile
    gpg.ssh.revocationfile user.signingkey safe.directory maintenance.repo http.sslcert http.sslkey http.sslcainfo
    http.cookiefile url.*.insteadof url.*.pushinsteadof
  `),
);

export interface GitKey {
  section: string;
  name: string | undefined;
  key: string;
}

/** `section.*.key`, as the lists have it. */
const shapeOf = ({ section, name, key }: GitKey): string =>
  name === undefined ? `${section}.${key}` : `${section}.*.${key}`;

/** An address that names a helper program, or that a program could take for an option. */
export const isHelperAddress = (value: string): boolean => value.includes('::') || value.startsWith('-');

export const isSafeKey = (key: GitKey): boolean => safeKeys.has(shapeOf(key));

/** Whether a value of this key may name a program, or a file that does. */
export const mayNameProgram = (key: GitKey): boolean => !isSafeKey(key) && !dataKeys.has(shapeOf(key));

/** Keys whose whole value is one path, also where it has no `/`. */
export const isPathKey = (key: GitKey): boolean =>
  /^(core\.hookspath|core\.attributesfile|init\.templatedir|include\.path|includeif\.\*\.path)$/.test(
    shapeOf(key),
  );
