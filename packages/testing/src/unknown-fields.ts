/** Adds an unknown field to every object in a value, like a message from a newer release. */
export function withUnknownFields<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withUnknownFields) as T
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, child]) => [name, withUnknownFields(child)])
  return { ...Object.fromEntries(fields), of_a_newer_release: { more: [1] } } as T
}
