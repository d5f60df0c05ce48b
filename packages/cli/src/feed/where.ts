import { CommandError } from '../output/failures.ts'

/** Returns a function that checks whether an event has all these values, each given as `path=value`. */
export function conditionOf(conditions: readonly string[]): (event: object) => boolean {
  const parsed = conditions.map(condition => {
    const [, path, value] = /^([\w.-]+)=(.*)$/s.exec(condition) ?? []
    if (path === undefined)
      throw new CommandError(`Expected a condition such as data.status=approved, got ${condition}.`)
    return { path, value }
  })
  return event =>
    parsed.every(({ path, value }) => {
      const found = valueAt(event, path)
      return found !== undefined && String(found) === value
    })
}

/** Returns the value at a path such as `data.metadata.order`. */
export function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => {
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? Reflect.get(value, name)
      : undefined
  }, object)
}
