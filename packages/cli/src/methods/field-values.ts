/** Sets the value at a path. Objects on the way that are missing, or are no objects, are made. */
export function setAt(object: object, path: readonly string[], value: unknown): void {
  const names = [...path]
  const last = names.pop() ?? ''
  let parent = object
  for (const name of names) parent = childOf(parent, name)
  Reflect.set(parent, last, value)
}

function childOf(parent: object, name: string): object {
  const child = Object.hasOwn(parent, name) ? Reflect.get(parent, name) : undefined
  if (isRecord(child)) return child
  const made = {}
  Reflect.set(parent, name, made)
  return made
}

/** Reads the value of a field: a text as it is, and everything else as JSON where it is JSON. */
export function valueOfText(value: string, { isText, isNullable }: { isText: boolean; isNullable: boolean }): unknown {
  if (isNullable && value === 'null') return null
  return isText ? value : parsedOr(value)
}

/** Returns the JSON of a text, or the text if it is none, or would be written otherwise: 1.10 is no number here. */
export function parsedOr(value: string): unknown {
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'number' && String(parsed) !== value ? value : parsed
  } catch {
    return value
  }
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
