/** Rules for imports, including type imports. `pnpm lint` runs them; Biome's noRestrictedImports holds the layers. */
export default {
  forbidden: [
    {
      name: 'no-circular-files',
      comment: 'Move what both files need into a file below them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circular-folders',
      comment: 'Move what both folders need into a folder below them.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-import-from-parent-folder',
      comment: 'A folder imports its subfolders, so they must not import its files. Move the file into a subfolder.',
      severity: 'error',
      from: { path: '^(.+)/[^/]+/[^/]+$' },
      to: { path: '^$1/[^/]+$' },
    },
    {
      name: 'no-import-of-deploy',
      comment: 'deploy/ holds entry points and configuration. Code that packages need belongs in a package.',
      severity: 'error',
      from: { path: '^(packages|services)/' },
      to: { path: '^deploy/' },
    },
    {
      name: 'no-unresolved-import',
      comment: 'An import that is not resolved escapes the rules above.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'swc',
    // Unit tests may import across folders: nothing imports them.
    exclude: { path: ['/dist/', '\\.test\\.ts$'] },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['cobro-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
    cache: false,
  },
}
