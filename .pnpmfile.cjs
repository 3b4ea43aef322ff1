// Mends what packages say of themselves, so that less is installed.
const readPackage = (manifest) => {
  // Adapters for programs that are not used here; as a peer each would come with the server.
  if (manifest.name === 'better-auth') {
    for (const peer of ['vitest', 'react', 'vue']) {
      delete manifest.peerDependencies?.[peer];
      delete manifest.peerDependenciesMeta?.[peer];
    }
  }
  // Its binaries for musl do not say so, and each Linux would get both.
  if (/^@libsql\/linux-.*-musl$/.test(manifest.name)) manifest.libc = ['musl'];
  return manifest;
};

module.exports = { hooks: { readPackage } };
