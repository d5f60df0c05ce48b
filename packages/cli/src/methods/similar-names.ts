import { CommandError } from '../output/failures.ts'

const mostDifferences = 3
const mostNames = 60

/** Returns the error for an unknown name, with the names that are most like it, or else all. */
export function unknownName(kind: string, name: string, names: readonly string[]): CommandError {
  const similar = names.filter(one => distance(one, name) <= mostDifferences)
  const named = similar.length > 0 ? similar : names.slice(0, mostNames)
  const hint = `${similar.length > 0 ? 'Did you mean' : `The ${kind}s are`}: ${named.join(', ')}`
  return new CommandError(`There is no ${kind} ${name}.`, named.length > 0 ? { hint } : {})
}

/** Returns how many letters differ (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [at, letter] of Array.from(a).entries()) {
    const next = [at + 1]
    for (const [place, other] of Array.from(b).entries()) {
      const changed = (row[place] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
