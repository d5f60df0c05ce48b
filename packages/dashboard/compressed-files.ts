import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const encoders = { br: promisify(brotliCompress), gz: promisify(gzip) }

/** Writes each file of `assets/` also with brotli and with gzip, where that is smaller: the gateway compresses nothing. */
export function compressedFiles(): Plugin {
  return {
    name: 'compressed-files',
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.values(bundle).filter(({ fileName }) => fileName.startsWith('assets/'))
      await Promise.all(
        files.flatMap(file => {
          const content = Buffer.from(file.type === 'chunk' ? file.code : file.source)
          return Object.entries(encoders).map(async ([ending, encode]) => {
            const encoded = await encode(content)
            if (encoded.length < content.length) await writeFile(join(dir, `${file.fileName}.${ending}`), encoded)
          })
        }),
      )
    },
  }
}
