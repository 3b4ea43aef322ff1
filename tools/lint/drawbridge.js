// House rules that no ready-made lint rule covers.

const timers = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
]);

const isGlobal = (context, node) => {
  for (let scope = context.sourceCode.getScope(node); scope; scope = scope.upper) {
    const variable = scope.set.get(node.name);
    if (variable) return variable.defs.length === 0;
  }
  return true;
};

const isName = (node, name) => node.type === 'Identifier' && node.name === name;

/** The property that a member expression reads, also when it is written `object['name']`. */
const property = (node) =>
  node.computed ? (node.property.type === 'Literal' ? node.property.value : undefined) : node.property.name;

/** Time is a parameter: a timer or the time of day anywhere but in kit's clock. */
const clockOnly = {
  create: (context) => {
    const report = (node, what) =>
      context.report({ node, message: `${what}: take a Clock (packages/kit/src/time/clock.ts)` });
    return {
      CallExpression: ({ callee }) => {
        if (callee.type === 'Identifier' && timers.has(callee.name) && isGlobal(context, callee)) {
          report(callee, callee.name);
        }
        if (isName(callee, 'Date') && isGlobal(context, callee)) report(callee, 'Date()');
      },
      MemberExpression: (node) => {
        const name = property(node);
        if (isName(node.object, 'Date') && name === 'now') report(node, 'Date.now');
        if (isName(node.object, 'performance') && name === 'now') report(node, 'performance.now');
        if (isName(node.object, 'AbortSignal') && name === 'timeout') report(node, 'AbortSignal.timeout');
        if ((isName(node.object, 'globalThis') || isName(node.object, 'window')) && timers.has(name)) {
          report(node, String(name));
        }
      },
      NewExpression: (node) => {
        if (isName(node.callee, 'Date') && node.arguments.length === 0) report(node, 'new Date()');
      },
      ImportDeclaration: (node) => {
        if (/^(node:)?timers(\/promises)?$/.test(node.source.value)) report(node, node.source.value);
      },
    };
  },
};

/** The environment is read once, by a config.ts. */
const envInConfig = {
  create: (context) => {
    const report = (node) =>
      context.report({ node, message: 'the environment is read in a config.ts alone: take the value' });
    return {
      MemberExpression: (node) => {
        if (isName(node.object, 'process') && property(node) === 'env') report(node);
      },
      ImportDeclaration: (node) => {
        if (!/^(node:)?process$/.test(node.source.value)) return;
        if (node.specifiers.some((specifier) => specifier.imported?.name === 'env')) report(node);
      },
    };
  },
};

/** A relative import names the file that is there. */
const tsImports = {
  create: (context) => {
    const check = ({ source }) => {
      if (source && /^\.{1,2}\//.test(source.value) && !/\.[a-z]+(\?.*)?$/.test(source.value)) {
        context.report({ node: source, message: 'a relative import ends in the name of its file' });
      }
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};

/** Several parameters in one: a tuple beside other parameters, or all of them by a rest that is taken apart. */
const noTupleParameters = {
  create: (context) => {
    const isTuple = (node) =>
      node.type === 'RestElement'
        ? node.argument.type === 'ArrayPattern'
        : node.typeAnnotation?.typeAnnotation.type === 'TSTupleType';
    const check = ({ params }) => {
      for (const node of params)
        if (isTuple(node) && (params.length > 1 || node.type === 'RestElement'))
          context.report({ node, message: 'a tuple instead of parameters: name each' });
    };
    return { ArrowFunctionExpression: check, FunctionExpression: check, FunctionDeclaration: check };
  },
};

export default {
  meta: { name: 'drawbridge' },
  rules: {
    'clock-only': clockOnly,
    'env-in-config': envInConfig,
    'no-tuple-parameters': noTupleParameters,
    'ts-imports': tsImports,
  },
};
