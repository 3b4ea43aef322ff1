/** Settings that run programs or lead elsewhere, but for a remote, a description and an e-mail address. */
export const hostileSettings = ({
  evil,
  work,
  host,
}: {
  evil: string;
  work: string;
  host: string;
}): string => `
[core]
	fsmonitor = ${evil}
	hooksPath = ${work}
	sshCommand = ${evil}
	pager = ${evil}
	editor = ${evil}
	askPass = ${evil}
	alternateRefsCommand = ${evil}
	attributesFile = ${work}/attributes
	gitProxy = ${evil}
	worktree = /
	bare = true
[core] fsmonitor = ${evil}
[CORE]
	FSMonitor = ${evil}
[core "x"]
	pager = ${evil}
[include]
	path = ${work}/more
[includeIf "gitdir:**"]
	path = ${work}/more
[alias]
	st = !${evil}
	status = "!${evil}"
[credential]
	helper = !${evil}
[credential "https://example.org"]
	helper = ${evil}
[filter "x"]
	clean = ${evil}
	smudge = ${evil}
	process = ${evil}
[diff]
	external = ${evil}
[diff "x"]
	textconv = ${evil}
	command = ${evil}
[merge "x"]
	driver = ${evil}
[difftool "x"]
	cmd = ${evil}
[gpg]
	program = ${evil}
[gpg "ssh"]
	defaultKeyCommand = ${evil}
[commit]
	gpgsign = true
[sequence]
	editor = ${evil}
[pager]
	log = ${evil}
[interactive]
	diffFilter = ${evil}
[uploadpack]
	packObjectsHook = ${evil}
[receive]
	denyCurrentBranch = ignore
[remote]
	pushDefault = evil
[remote "origin"]
	url = ext::${evil}
	pushurl = ${evil}
	uploadpack = ${evil}
	receivepack = ${evil}
	proxy = ${evil}
	vcs = ${evil}
	fetch = +refs/heads/*:refs/heads/*
[remote "origin"]
	url = https://example.org/x
	tagOpt = --no-tags
[remote "new"]
	url = ext::${evil}
	uploadpack = ${evil}
[remote "minus"]
	url = -oProxyCommand=${evil}
[remote "over"]
	url = https://example.org/x
	fetch = +refs/heads/*:refs/heads/*
	fetch = +refs/heads/*:refs/remotes/origin/*
	url = https://example.org/second
	pushurl = https://example.org/y
	mirror = true
[remote "https://github.com/ada/demo"]
	url = https://example.org/x
[remote "${host}"]
	url = https://example.org/x
[branch "main"]
	remote = ext::${evil}
	pushRemote = ext::${evil}
	mergeOptions = -s evil
	rebase = true
[branch "main"]
	remote = over
	merge = refs/heads/other
[branch "topic"]
	remote = https://example.org/x
[branch "a\\"]\n[core]\nfsmonitor = ${evil}\n[b \\""]
	description = x
[branch "later"]
	description = "x\n[core]\n\tfsmonitor = ${evil}\n"
[branch "follow"]
	remote = minus
[submodule]
	recurse = true
[submodule "x"]
	update = !${evil}
	url = ext::${evil}
[submodule "../../x"]
	url = https://example.org/x
[url "ext::${evil}"]
	insteadOf = ${host}
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[http]
	proxy = http://example.org
	sslVerify = false
[extensions]
	worktreeConfig = true
[init]
	templateDir = ${work}
[user]
	signingKey = x
	name = "Bell‮ eht"
	name = x\
[core]\
	fsmonitor = ${evil}
	email = ada@example.org
`;
