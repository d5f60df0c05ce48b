import { createHighlighter, createJavaScriptRegexEngine, type ShikiTransformer } from 'shiki'
import { createCssVariablesTheme } from 'shiki/core'

const languages = ['bash', 'go', 'http', 'java', 'json', 'php', 'python', 'typescript', 'yaml']

/** Writes classes instead of inline styles, which the pages' content security policy forbids. */
const classes: ShikiTransformer = {
  pre: node => {
    node.properties = { class: 'code', tabindex: '0' }
  },
  span: node => {
    const name = /^color:var\(--code-(?:token-)?([\w-]+)\)/.exec(String(node.properties.style ?? ''))?.[1]
    node.properties = name && name !== 'foreground' ? { class: `t-${name}` } : {}
  },
  line: node => {
    node.properties = {}
  },
}

/** Returns the HTML of highlighted code. */
export type Highlight = (code: string, language: string) => string

/** Loads the grammars. Throws for a language that pages do not use yet. */
export async function loadHighlighter(): Promise<Highlight> {
  const theme = createCssVariablesTheme({ name: 'variables', variablePrefix: '--code-', fontStyle: false })
  const highlighter = await createHighlighter({
    themes: [theme],
    langs: languages,
    engine: createJavaScriptRegexEngine(),
  })
  return (code, language) =>
    highlighter.codeToHtml(code, {
      lang: language === 'text' || languages.includes(language) ? language : unknown(language),
      theme: 'variables',
      transformers: [classes],
    })
}

function unknown(language: string): never {
  throw new Error(`No grammar is loaded for ${language}. Add it in highlight.ts.`)
}
