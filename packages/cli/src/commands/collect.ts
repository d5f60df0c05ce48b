/** Collects an option that may be repeated. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** Joins a list with commas that may be repeated. */
export function joined(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`
}
