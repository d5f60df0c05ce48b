import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

interface Budgets {
  /** What the first screen loads. */
  entry: number
  /** What each further screen loads. */
  screen: number
  styles: number
}

/** Fails the build if a part is larger than its budget, in bytes with gzip: each kilobyte makes people wait. */
export function scriptBudgets(budgets: Budgets): Plugin {
  return {
    name: 'script-budgets',
    generateBundle(_options, bundle) {
      const check = (what: string, code: string | Uint8Array, most: number) => {
        const bytes = gzipSync(code).length
        if (bytes > most) this.error(`${what} has ${bytes} bytes with gzip, over its budget of ${most}`)
        this.info(`${what}: ${bytes} of ${most} bytes with gzip`)
      }
      const files = Object.values(bundle)
      const styles = files.filter(file => file.type === 'asset' && file.fileName.endsWith('.css'))
      check(
        'the style sheets',
        styles.map(file => String('source' in file ? file.source : '')).join(''),
        budgets.styles,
      )
      const chunks = files.filter(file => file.type === 'chunk')
      const first = new Set<string>()
      const load = (name: string) => {
        const chunk = chunks.find(({ fileName }) => fileName === name)
        if (!chunk || first.has(name)) return
        first.add(name)
        chunk.imports.forEach(load)
      }
      for (const { isEntry, fileName } of chunks) if (isEntry) load(fileName)
      const entry = chunks.filter(({ fileName }) => first.has(fileName))
      check('the first load', entry.map(({ code }) => code).join(''), budgets.entry)
      for (const { fileName, code } of chunks) if (!first.has(fileName)) check(fileName, code, budgets.screen)
    },
  }
}
