const maxColumns = 120

/**
 * Returns JSON text with two spaces of indentation, where an array or object that fits in 120 columns stands on one line. A
 * change of one field is a change of one line.
 */
export function jsonLines(value: unknown, indent = 0, before = 0): string {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null || indent + before + line.length <= maxColumns) return line
  const inner = ' '.repeat(indent + 2)
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map(part => jsonLines(part, indent + 2))]
    : ['{', '}', Object.entries(value).map(([key, part]) => `"${key}": ${jsonLines(part, indent + 2, key.length + 4)}`)]
  return `${open}\n${parts.map(part => inner + part).join(',\n')}\n${' '.repeat(indent)}${close}`
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${onOneLine(part)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
