import { join } from 'node:path'
import { build, type Rollup } from 'vite'

const root = join(import.meta.dirname, '..', '..')

/** A file that pages load, with a hash of its content in its name. */
export interface Asset {
  name: string
  content: Buffer
}

/** Bundles the scripts and styles of the pages. Returns them by the names of their entries. */
export async function bundleAssets(): Promise<ReadonlyMap<string, Asset>> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      // The policy of the pages allows no data: URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: {
          'site.js': join(root, 'src/browser/site.ts'),
          'console.js': join(root, 'src/browser/console.ts'),
          'site.css': join(root, 'src/look/site.css'),
          'console.css': join(root, 'src/look/console.css'),
        },
        output: {
          entryFileNames: ({ name }) => `${name.replace(/\.js$/, '')}-[hash].js`,
          assetFileNames: '[name]-[hash][extname]',
        },
      },
    },
  })
  const { output } = ([result].flat() as Rollup.RollupOutput[])[0] ?? { output: [] }
  return new Map(
    output.map(part => {
      const content = Buffer.from(part.type === 'chunk' ? part.code : part.source)
      return [part.type === 'chunk' ? part.name : (part.names[0] ?? ''), { name: part.fileName, content }]
    }),
  )
}
