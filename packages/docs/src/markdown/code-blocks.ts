import type { Highlight } from './highlight.ts'
import { escapeHtml } from './html.ts'
import { includeLine, readSnippet } from './snippets.ts'

/** A program as pages show it. The label is its tab's, by default the language's name. */
interface Program {
  language: string
  code: string
  label?: string
}

/** The language of a block that has lines with snippets instead of code. */
export const includes = 'includes'

const languageNames: Record<string, string> = { bash: 'curl', typescript: 'TypeScript', json: 'JSON' }

/** Renders the snippets of a block: several programs as tabs, below them what they print. */
export function includedCode(block: string, id: string, options: { highlight: Highlight; snippets: string }): string {
  const { highlight, snippets: folder } = options
  const lines = block.trim().split('\n')
  for (const line of lines) if (!includeLine.test(line)) throw new Error(`Expected <<< file#region, got ${line}.`)
  const all = lines.map(line => readSnippet(folder, line))
  const outputs = all
    .filter(({ isOutput }) => isOutput)
    .map(({ code, language }) => {
      const output = highlight(code, language)
      return `<div class="code-block output"><p>Output</p>${output}</div>\n`
    })
  const programs = all.filter(({ isOutput }) => !isOutput)
  return [codeBlocks(programs, id, highlight), ...outputs].join('')
}

/** Renders programs that do the same as tabs, and one alone as it is. */
export function codeBlocks(programs: readonly Program[], id: string, highlight: Highlight): string {
  if (programs.length > 1) return tabs(programs, id, highlight)
  return programs.map(({ code, language }) => `<div class="code-block">${highlight(code, language)}</div>\n`).join('')
}

/** Tabs that work without a script: a radio button for each, and a panel that its state shows. */
function tabs(programs: readonly Program[], name: string, highlight: Highlight): string {
  const buttons = programs.map(({ language, label = languageNames[language] ?? language }, at) => {
    const id = `${name}-${at}`
    const input = `<input type="radio" name="${name}" id="${id}"${at === 0 ? ' checked' : ''}>`
    return `${input}<label for="${id}">${escapeHtml(label)}</label>`
  })
  const panels = programs.map(({ code, language }) => `<div class="tab-panel">${highlight(code, language)}</div>`)
  return `<fieldset class="tabs"><legend>Language</legend>${buttons.join('')}${panels.join('')}</fieldset>\n`
}
