import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Fails the build if the gzipped script exceeds the budget: slow phones wait for each kilobyte. */
export function scriptBudget(maxBytes: number): Plugin {
  return {
    name: 'script-budget',
    generateBundle(_options, bundle) {
      const scripts = Object.values(bundle).filter(file => file.type === 'chunk')
      const bytes = scripts.reduce((sum, script) => sum + gzipSync(script.code).length, 0)
      if (bytes > maxBytes) this.error(`the page's script is ${bytes} bytes gzipped, over its budget of ${maxBytes}`)
      this.info(`script ${bytes} of ${maxBytes} bytes, gzipped`)
    },
  }
}
