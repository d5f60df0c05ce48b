import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

// Part of the cache key, so that another version of this file or of Node does not use old entries.
const version = process.version + readFileSync(import.meta.filename, 'utf8')

const transform = source => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) })

/**
 * Jest transformer for TypeScript that strips types as Node does. It replaces types with spaces, so
 * that line and column numbers stay the same.
 */
export default {
  process: transform,
  processAsync: async source => transform(source),
  getCacheKey: (source, file) =>
    createHash('sha256').update(version).update(file).update('\0').update(source).digest('hex'),
}
