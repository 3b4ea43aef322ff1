import type { GitSetting } from '../../../../paths/git/config-text.ts';
import { isHelperAddress } from '../../../../paths/git/safe-keys.ts';
import { words } from '../../../../text/words.ts';

/** Settings of a whole repository that a command may add: none runs, reads or reaches anything. */
export const plainKeys: readonly string[] = words(`
  user.name user.email core.autocrlf core.eol core.safecrlf core.filemode core.ignorecase core.quotepath
  pull.rebase pull.ff push.autosetupremote fetch.prune merge.ff merge.conflictstyle rebase.autostash rerere.enabled
  color.ui
`);

/** What a command may add for a new remote or submodule, or for a branch that follows nothing yet. */
export const namedKeys = {
  remote: ['url', 'fetch', 'tagopt'],
  branch: ['remote', 'merge', 'rebase', 'description'],
  submodule: ['url', 'active'],
} as const;

type Section = keyof typeof namedKeys;

const maxAdded = 100;
const maxChars = 1_000;
const shown = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
/** No path and no address: git takes the name of a remote before both. */
const remoteName = /^\w[\w.-]*$/;
const refName = /^[^-\s\p{C}"\\~^:?*[][^\s\p{C}"\\~^:?*[]*$/u;
const truth = /^(true|false)$/;

const isAddress = (value: string): boolean => value !== '' && !isHelperAddress(value);

/** Not on the disk: a push to a folder runs the hooks that lie in it. Other schemes start programs. */
const isHostAddress = (value: string): boolean =>
  isAddress(value) && /^((https?|ssh|git|git\+ssh|ssh\+git):\/\/\w|[\w.-]+(@[\w.-]+)?:(?!\/\/))/i.test(value);

/** Fetches into the branches of that remote only. */
const isFetchOf = (name: string, value: string): boolean => {
  const [from = '', to = '', more] = value.replace(/^\+/, '').split(':');
  return (
    more === undefined &&
    /^refs\/(heads|tags)\/[\w./*-]+$/.test(from) &&
    to.startsWith(`refs/remotes/${name}/`)
  );
};

/** A setting by its full name, as git shows it. */
export const nameOf = ({ section, name, key }: Omit<GitSetting, 'value'>): string =>
  [section, ...(name === undefined ? [] : [name]), key].join('.');

const isSafeValue = ({ section, name = '', key, value = '' }: GitSetting): boolean => {
  switch (`${section}.${key}`) {
    case 'remote.url':
      return isHostAddress(value);
    case 'submodule.url':
      return isAddress(value);
    case 'remote.fetch':
      return isFetchOf(name, value);
    case 'remote.tagopt':
      return /^--(no-)?tags$/.test(value);
    case 'branch.merge':
      return value.startsWith('refs/') && refName.test(value);
    case 'branch.rebase':
    case 'submodule.active':
      return truth.test(value);
    default:
      return true;
  }
};

const isSection = (section: string): section is Section => Object.hasOwn(namedKeys, section);

const isSafeName = (section: Section, name: string): boolean =>
  section === 'remote' ? remoteName.test(name) : refName.test(name) && !name.split('/').includes('..');

/** Whether what is there already decides about this name. */
const isTaken = ({ section, name }: GitSetting, present: readonly GitSetting[]): boolean =>
  present.some(
    (one) =>
      one.section === section &&
      one.name === name &&
      (section !== 'branch' || /^(remote|merge|pushremote)$/.test(one.key)),
  );

/**
 * What a repository with the settings `present` may get of those that a command wrote; names of the others.
 * Nothing that is there changes its meaning, and nothing that is added makes git run a program.
 */
export const addedSettings = (written: readonly GitSetting[], present: readonly GitSetting[]) => {
  const added: GitSetting[] = [];
  const dropped = new Set<string>();
  const isThere = (setting: GitSetting, among: readonly GitSetting[]) =>
    among.some((one) => nameOf(one) === nameOf(setting) && one.value === setting.value);
  const mayAdd = (setting: GitSetting): boolean => {
    const { section, name, key, value } = setting;
    if (value === undefined || value.length > maxChars || !shown.test(value) || added.length >= maxAdded)
      return false;
    const isOnce = !added.some((one) => nameOf(one) === nameOf(setting));
    if (name === undefined)
      return (
        isOnce &&
        plainKeys.includes(nameOf(setting)) &&
        !present.some((one) => nameOf(one) === nameOf(setting))
      );
    return (
      isOnce &&
      isSection(section) &&
      namedKeys[section].some((one) => one === key) &&
      isSafeName(section, name) &&
      isSafeValue(setting) &&
      !isTaken(setting, present)
    );
  };
  for (const setting of written) {
    if (isThere(setting, present) || isThere(setting, added)) continue;
    if (mayAdd(setting)) added.push(setting);
    else dropped.add(nameOf(setting).slice(0, 60));
  }
  // A branch follows only a remote that is there, or that was added with it.
  const has = new Set(
    [...present, ...added].flatMap(({ section, name }) => (section === 'remote' ? [name] : [])),
  );
  const follows = ({ section, key, value }: GitSetting) =>
    section !== 'branch' || key !== 'remote' || value === '.' || has.has(value);
  for (const setting of added) if (!follows(setting)) dropped.add(nameOf(setting));
  return { added: added.filter(follows), dropped: [...dropped] };
};
