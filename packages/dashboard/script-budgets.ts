import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { chunksOf } from './chunks-of.ts'

interface Budgets {
  /** What each of these loads until it can be used: the files that it begins with, and the bytes of all that these import. */
  starts: Readonly<Record<string, { files: readonly string[]; most: number }>>
  /** What each further screen loads. */
  screen: number
  styles: number
}

/** Fails the build if a part is larger than its budget, in bytes with gzip: each kilobyte makes people wait. */
export function scriptBudgets(budgets: Budgets): Plugin {
  return {
    name: 'script-budgets',
    generateBundle: {
      // The style sheets are the last files that are made.
      order: 'post',
      handler(_options, bundle) {
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
        const counted = new Set<string>()
        for (const [name, { files, most }] of Object.entries(budgets.starts)) {
          const chunks = chunksOf(bundle, files)
          check(name, chunks.map(({ code }) => code).join(''), most)
          for (const { fileName } of chunks) counted.add(fileName)
        }
        for (const file of files)
          if (file.type === 'chunk' && !counted.has(file.fileName)) check(file.fileName, file.code, budgets.screen)
      },
    },
  }
}
