import { readFileSync, statSync } from 'node:fs'
import { relative, sep } from 'node:path'

/** The slowest test files, the slowest first. Started last, one would run alone at the end. */
const slowFiles = JSON.parse(readFileSync(new URL('slow-files.json', import.meta.url), 'utf8'))

/** Makes Jest start the slowest files first, and then large ones before small ones. */
export default class SlowestFirst {
  sort(tests) {
    const keyed = tests.map(test => ({ test, rank: rankOf(test), size: statSync(test.path).size }))
    return keyed.toSorted((a, b) => a.rank - b.rank || b.size - a.size).map(({ test }) => test)
  }

  shard(tests) {
    return tests
  }

  allFailedTests(tests) {
    return tests
  }

  cacheResults() {}
}

function rankOf({ path, context }) {
  const rank = slowFiles.indexOf(relative(context.config.rootDir, path).split(sep).join('/'))
  return rank === -1 ? slowFiles.length : rank
}
