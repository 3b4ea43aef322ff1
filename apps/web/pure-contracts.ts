import type { Plugin } from 'vite';

const made = new Set(['CallExpression', 'MemberExpression', 'ObjectExpression']);
const inContracts = /\/packages\/contracts\/src\/.*\.ts$/;

/**
 * Marks the schemas of the contracts as free of side effects, so that a page is built with those alone that
 * it reads with. A bundler keeps each call that it cannot see through, and with it the whole of zod.
 */
export const pureContracts = (): Plugin => ({
  name: 'pure-contracts',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: inContracts },
    handler(code) {
      const schemas = this.parse(code).body.flatMap((statement) => {
        const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
        if (declared?.type !== 'VariableDeclaration') return [];
        return declared.declarations.flatMap(({ init }) => (init && made.has(init.type) ? [init] : []));
      });
      // From the last to the first: positions before a change stay.
      return schemas.reduceRight(
        (text, { start, end }) =>
          `${text.slice(0, start)}/*@__PURE__*/ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
        code,
      );
    },
  },
});
