import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isNamedByGit } from '../../paths/git/named-paths.ts';
import { runClassOf } from '../../paths/run-names.ts';
import { programsOfServers } from '../../paths/server-programs.ts';
import { privateFolderOf } from '../../program/places.ts';
import { realPathOf } from '../../program/quiet-files.ts';
import { normalizeName } from '../../text/normalize.ts';
import { words } from '../../text/words.ts';
import { isPathGroup, type Resource } from './resource.ts';

/** Files and folders that hold keys, passwords and sessions, by their folded name. */
const secretNames = new Set(
  words(`
    .npmrc .yarnrc .yarnrc.yml .pypirc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg .vault-token
    .aws .azure .gcloud .kube .gnupg .docker .password-store .terraform.d .mozilla .thunderbird
    .oci .fly .pulumi .databrickscfg .boto .s3cfg .mcp-auth .credentials.json
    credentials.json credentials.toml secrets.json secrets.yml secrets.yaml service-account.json
    login.keychain login.keychain-db key3.db key4.db logins.json cookies.sqlite wallet.dat state.vscdb
    .bash_history .zsh_history .viminfo .lesshst
  `),
);
/** Hold keys as a file of this name; in source a folder may be called so. */
const secretFiles = new Set(['credentials', 'keyrings']);
const secretShapes = [
  /^\.env(\.|$)/,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|keychain|keychain-db|ovpn)$/,
  /(private|secret|key).*\.asc$/,
];
/** Names of which people keep an example beside the real one. */
const harmless = /^\.env\.(example|sample|template|dist|defaults)$/;
/** Certificates that everybody may see, beside which the key has another name. */
const publicCertificate =
  /^(?!.*(key|priv|secret)).*\b(ca|cert|certs|certificate|chain|fullchain|cacert|public)\b.*\.pem$/;
const translationFolders = new Set(words('i18n l10n locale locales lang langs languages translations'));

const isFolder = (path: string): boolean =>
  path.endsWith('/') || lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const isSecret = (names: readonly string[], path: string): boolean => {
  const last = names.at(-1) ?? '';
  if (names.some((name) => secretNames.has(name))) return true;
  if (secretFiles.has(last) && !isFolder(path)) return true;
  if (harmless.test(last) || publicCertificate.test(last)) return false;
  if (last.endsWith('.key') && names.some((name) => translationFolders.has(name))) return false;
  return secretShapes.some((shape) => shape.test(last));
};

const gitSettings = new Set(words('config config.worktree commondir gitdir'));

const gitFolders = new Set(words('hooks rebase-merge rebase-apply sequencer'));

/** Whether git reads or runs this file of a repository, whatever the repository's folder is called. */
const isInRepository = (path: string, names: readonly string[]): boolean => {
  const last = names.at(-1) ?? '';
  // Without a HEAD no folder is a repository: the one that makes it one asks.
  if (last === 'head') return true;
  if (gitSettings.has(last) && existsSync(join(dirname(path), 'HEAD'))) return true;
  const repositories = path
    .split('/')
    .flatMap((name, at, all) => (gitFolders.has(normalizeName(name)) ? [all.slice(0, at)] : []));
  return repositories.some((above) => existsSync(join('/', ...above, 'HEAD')));
};

/** Whether the settings of git or the list of MCP servers name this file as a program. */
const isNamed = (resource: string, root: string): boolean => {
  const home = homedir();
  const path = resource.replace(/\/$/, '');
  if (isNamedByGit(path, { root, home })) return true;
  const servers = programsOfServers({ root, home, privateFolder: privateFolderOf(home) });
  return servers.some((one) => one === path || realPathOf(one) === path);
};

/**
 * Why a path asks even where its group is on allow; undefined where it does not.
 * Names of the root itself and above it do not count: the person chose the root.
 */
export const whySensitive = (
  root: string,
  { toolGroup, resource }: Pick<Resource, 'toolGroup' | 'resource'>,
): string | undefined => {
  if (!isPathGroup(toolGroup)) return undefined;
  const base = root.endsWith('/') ? root : `${root}/`;
  const own = resource.startsWith(base) ? resource.slice(base.length) : resource;
  const names = own.split('/').filter(Boolean).map(normalizeName);
  const isRun = () =>
    runClassOf(names) !== undefined || isInRepository(resource, names) || isNamed(resource, root);
  if (toolGroup === 'filesystemWrite' && isRun()) return 'other programs run what stands here';
  return isSecret(names, resource) ? 'may hold passwords or keys' : undefined;
};

/** Whether only an exact rule or answer allows this, not the group's mode and no wider rule. */
export const needsExactRule = (root: string, resource: Resource): boolean =>
  resource.explicit === true || whySensitive(root, resource) !== undefined;
