import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

// Part of the cache key: an entry made by another version of this file, or of Node, must not be used.
const version = process.version + readFileSync(import.meta.filename, 'utf8')

const transform = source => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) })

/**
 * Jest's transformer for TypeScript: what Node itself does when it runs the file. Types become blanks, so that line
 * and column numbers in a failure are those of the source.
 */
export default {
  process: transform,
  processAsync: async source => transform(source),
  getCacheKey: (source, file) =>
    createHash('sha256').update(version).update(file).update('\0').update(source).digest('hex'),
}
