import MarkdownIt from 'markdown-it'
import { codeBlocks, includedCode, includes } from './code-blocks.ts'
import type { Highlight } from './highlight.ts'
import { type FindPicture, pictureHtml, withPictureAddresses } from './picture.ts'
import { readSnippet } from './snippets.ts'

/** A page that was written in Markdown. */
export interface RenderedPage {
  title: string
  /** Its first paragraph as text. */
  description: string
  html: string
  /** The Markdown with every snippet and the addresses of its pictures in it. */
  markdown: string
  headings: Heading[]
  sections: Section[]
  /** Where its links lead. */
  links: string[]
}

export interface Heading {
  level: number
  id: string
  text: string
}

/** What is below a heading, for the search. */
interface Section {
  /** The heading's id; empty for what is below the title. */
  id: string
  heading: string
  text: string
}

export interface MarkdownOptions {
  highlight: Highlight
  snippets: string
  picture: FindPicture
  /** Whether the page may contain code of its own, as generated pages do. */
  allowCode: boolean
}

type Parser = InstanceType<typeof MarkdownIt>
type Token = ReturnType<Parser['parse']>[number]

/** Renders a page. Throws if it has code that no test runs, or no title. */
export function renderMarkdown(source: string, options: MarkdownOptions): RenderedPage {
  const included = withIncludes(source)
  const parser = new MarkdownIt({ html: false })
  const tokens = parser.parse(included, {})
  const headings = nameHeadings(tokens)
  addTableRegions(parser)
  parser.renderer.rules.fence = (all, at) => renderFence(all, at, options)
  parser.renderer.rules.image = (all, at) => renderPicture(all[at] as Token, options)
  const title = headings[0]?.level === 1 ? headings[0].text : ''
  if (title === '') throw new Error('A page starts with its title: # Title')
  return {
    title,
    description: textOf(tokens.find((_one, at) => tokens[at - 1]?.type === 'paragraph_open')),
    html: parser.renderer.render(tokens, parser.options, {}),
    markdown: withPictureAddresses(withFences(source, options.snippets), options.picture),
    headings: headings.slice(1),
    sections: sectionsOf(tokens),
    links: linksOf(tokens),
  }
}

/** Puts lines with snippets into one block of code. */
function withIncludes(source: string): string {
  return source.replace(/(?:^<<< .*\n?)+/gm, lines => `\`\`\`${includes}\n${lines.trimEnd()}\n\`\`\`\n`)
}

/** Puts the code into the Markdown. Programs that do the same have the names of their languages. */
function withFences(source: string, folder: string): string {
  return source.replace(/(?:^<<< .*\n?)+/gm, lines => {
    const snippets = lines
      .trimEnd()
      .split('\n')
      .map(line => readSnippet(folder, line))
    const hasTabs = snippets.filter(({ isOutput }) => !isOutput).length > 1
    const blocks = snippets.map(({ label, language, code, isOutput }) => {
      const title = hasTabs || isOutput ? `${label}:\n\n` : ''
      return `${title}\`\`\`${language}\n${code}\n\`\`\`\n`
    })
    return blocks.join('\n')
  })
}

/** Renders a block of code. Blocks that follow each other on a generated page are alternatives. */
function renderFence(tokens: readonly Token[], at: number, { allowCode, ...options }: MarkdownOptions): string {
  const { type, info, content } = tokens[at] as Token
  const id = `code-${at}`
  if (info === includes) return includedCode(content, id, options)
  if (!allowCode) throw new Error(`Include code from a file that a test runs, instead of:\n${content}`)
  if (tokens[at - 1]?.type === type) return ''
  const after = tokens.slice(at).findIndex(token => token.type !== type)
  const blocks = tokens.slice(at, after < 0 ? undefined : at + after)
  const programs = blocks.map(block => {
    const [language = 'text', label] = block.info.split(' ')
    return { language, code: block.content.trimEnd(), ...(label && { label }) }
  })
  return codeBlocks(programs, id, options.highlight)
}

function renderPicture(token: Token, { picture }: MarkdownOptions): string {
  return pictureHtml(token.content, picture(String(token.attrGet('src'))))
}

/** Gives each heading an id, and returns all of them. */
function nameHeadings(tokens: readonly Token[]): Heading[] {
  const used = new Map<string, number>()
  return tokens.flatMap((token, at) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(tokens[at + 1])
    const level = Number(token.tag.slice(1))
    const slug = slugOf(text)
    if (level === 1) return [{ level, id: slug, text }]
    const count = used.get(slug) ?? 0
    used.set(slug, count + 1)
    const id = count === 0 ? slug : `${slug}-${count + 1}`
    token.attrSet('id', id)
    return [{ level, id, text }]
  })
}

/** Returns the part of an address that names a heading. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Wide tables scroll on small screens, also by keyboard. */
function addTableRegions(parser: Parser): void {
  parser.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n'
  parser.renderer.rules.table_close = () => '</table></div>\n'
}

function textOf(token: Token | undefined): string {
  const parts = (token?.children ?? []).map(child => (child.type === 'softbreak' ? ' ' : child.content))
  return parts.join('')
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: Section[] = []
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      sections.push({ id: String(token.attrGet('id') ?? ''), heading: textOf(tokens[at + 1]), text: '' })
    } else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') {
      const section = sections.at(-1)
      if (section) section.text += `${textOf(token)} `
    }
  })
  return sections
}

function linksOf(tokens: readonly Token[]): string[] {
  return tokens
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type === 'link_open')
    .map(token => String(token.attrGet('href')))
}
