/**
 * Formats a line of CSV (RFC 4180). Objects are written as JSON, and null as an empty field. Texts that a spreadsheet would
 * take for a formula begin with an apostrophe, as OWASP advises; numbers are written as they are.
 */
export function csvLine(fields: readonly unknown[]): string {
  return `${fields.map(fieldOf).join()}\r\n`
}

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
