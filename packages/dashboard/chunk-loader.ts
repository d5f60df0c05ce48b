import { resolve } from 'node:path'
import type { Plugin } from 'vite'

/** The module of Vite whose function it puts around every `import()`, with the files that this needs. */
const ofVite = '\0vite/preload-helper.js'

/** Lets `loadChunk` of a source file load what `import()` names, in place of Vite's own function. */
export function chunkLoader(file: string): Plugin {
  let isUsed = false
  return {
    name: 'chunk-loader',
    enforce: 'pre',
    load(id) {
      if (id !== ofVite) return null
      isUsed = true
      return `export { loadChunk as __vitePreload } from ${JSON.stringify(resolve(import.meta.dirname, file))}`
    },
    generateBundle() {
      if (!isUsed) this.error('Vite has no preload helper by this name any more')
    },
  }
}
