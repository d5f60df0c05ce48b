/**
 * Formats a line of CSV (RFC 4180). Objects are written as JSON, and null as an empty field. Texts that a spreadsheet would
 * take for a formula begin with an apostrophe, as OWASP advises, and so does each part of a text where another separator or a
 * line break may begin a cell; numbers are written as they are.
 */
export function csvLine(fields: readonly unknown[]): string {
  return `${fields.map(fieldOf).join()}\r\n`
}

/** Where a cell may begin with a formula. Spreadsheets also separate cells by semicolons or tabs, and then ignore the quotes. */
const formulaStart = /^(?=[=+\-@\t\r])|(?<=[;\t\r\n])(?=[=+\-@])/g

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = text.replaceAll(formulaStart, "'")
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
