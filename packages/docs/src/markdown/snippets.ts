import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A part of a file that a test runs, for a page to show. */
export interface Snippet {
  /** The tab's name where a step is shown in several languages. */
  label: string
  language: string
  code: string
  /** Whether it is what a command printed. */
  isOutput: boolean
}

const languages: Record<string, readonly [language: string, label: string]> = {
  '.sh': ['bash', 'curl'],
  '.ts': ['typescript', 'TypeScript'],
  '.py': ['python', 'Python'],
  '.php': ['php', 'PHP'],
  '.go': ['go', 'Go'],
  '.java': ['java', 'Java'],
  '.out': ['text', 'Output'],
}

/** A line of a page that includes a snippet: `<<< folder/file.sh#region [label]`. */
export const includeLine = /^<<< (?<file>[\w./-]+)(?:#(?<region>[\w-]+))?(?: \[(?<label>[^\]]+)\])?$/

/** Returns a snippet that a line of a page includes. Throws if the file or the region does not exist. */
export function readSnippet(folder: string, line: string): Snippet {
  const { file = '', region, label } = includeLine.exec(line)?.groups ?? {}
  if (file === '') throw new Error(`Expected <<< file#region [label], got ${line}.`)
  const isOutput = extname(file) === '.out'
  const code = isOutput && isUpdating ? outputSoFar(folder, file, region) : codeOf(folder, file, region)
  const [language, usualLabel] = languages[extname(file)] ?? ['text', file]
  return { label: label ?? usualLabel, language: isOutput ? languageOfOutput(code) : language, code, isOutput }
}

const isUpdating = process.env.UPDATE_SNIPPETS === '1'

/** While the outputs are written, they may not exist yet. */
function outputSoFar(folder: string, file: string, region: string | undefined): string {
  try {
    return codeOf(folder, file, region)
  } catch {
    return ''
  }
}

function codeOf(folder: string, file: string, region: string | undefined): string {
  const text = readFileSync(join(folder, file), 'utf8')
  return region === undefined ? withoutMarkers(text) : regionOf(text, region, file)
}

const start = /^\s*(?:#|\/\/) region (?<name>[\w-]+)\s*$/
const end = /^\s*(?:#|\/\/) endregion\s*$/

/** The regions of a file by name, in their order. Regions do not nest. */
export function regionsOf(text: string): Map<string, string> {
  const regions = new Map<string, string[]>()
  let lines: string[] | undefined
  for (const line of text.split('\n')) {
    const { name } = start.exec(line)?.groups ?? {}
    if (name !== undefined) {
      lines = []
      regions.set(name, lines)
    } else if (end.test(line)) lines = undefined
    else lines?.push(line)
  }
  return new Map([...regions].map(([name, own]) => [name, withoutIndent(own)]))
}

function regionOf(text: string, region: string, file: string): string {
  const code = regionsOf(text).get(region)
  if (code === undefined) throw new Error(`${file} has no region ${region}.`)
  return code
}

function withoutMarkers(text: string): string {
  return withoutIndent(text.split('\n').filter(line => !start.test(line) && !end.test(line)))
}

function withoutIndent(lines: readonly string[]): string {
  const indents = lines.filter(line => line.trim() !== '').map(line => line.search(/\S/))
  const least = Math.min(...indents, 80)
  return lines
    .map(line => line.slice(least))
    .join('\n')
    .trim()
}

const languageOfOutput = (code: string) => (/^[{[]/.test(code) ? 'json' : 'text')
