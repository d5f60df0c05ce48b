import { renderMarkdown } from './render-markdown.ts'

const render = (markdown: string, allowCode = true) =>
  renderMarkdown(markdown, {
    highlight: (code, language) => `<pre class="${language}">${code}</pre>`,
    snippets: '',
    picture: name => ({ light: `/${name}.png`, dark: undefined, width: 1440, height: 900 }),
    allowCode,
  })

test('a page has its title, its first paragraph, and a name for each heading', () => {
  const page = render(
    '# Refunds\n\nGive money\nback.\n\n## In full\n\nText.\n\n## In full\n\n### Payment\\_link `paid`\n',
  )
  expect([page.title, page.description]).toEqual(['Refunds', 'Give money back.'])
  expect(page.headings.map(({ level, id }) => [level, id])).toEqual([
    [2, 'in-full'],
    [2, 'in-full-2'],
    [3, 'payment_link-paid'],
  ])
})

test('HTML in a page is text, and so is what tables and code contain', () => {
  const { html } = render('# One\n\n<script>alert(1)</script>\n\n| A |\n| --- |\n| <b> |\n')
  expect(html).not.toContain('<script>')
  expect(html).toContain('&lt;b&gt;')
})

test('a link to a script is not a link', () => {
  expect(render('# One\n\n[two](javascript:alert(1))\n').links).toEqual([])
})

test('programs that follow each other are tabs, and a single one has none', () => {
  const { html } = render('# One\n\n```bash\ncurl\n```\n\n```typescript\nfetch()\n```\n\nText.\n\n```json\n{}\n```\n')
  expect(html.match(/<label[^>]*>[^<]*/g)?.map(label => label.replace(/<[^>]*>/, ''))).toEqual(['curl', 'TypeScript'])
  expect(html.match(/type="radio"/g)).toHaveLength(2)
  expect(html).toContain('<div class="code-block"><pre class="json">{}</pre></div>')
})

test('a written page has no code of its own', () => {
  expect(() => render('# One\n\n```bash\ncurl\n```\n', false)).toThrow('Include code from a file that a test runs')
})

test('a page without a title is refused', () => {
  expect(() => render('Text.\n')).toThrow('A page starts with its title')
})

test('the search gets the text below each heading', () => {
  const { sections } = render('# One\n\nFirst `code`.\n\n## Two\n\n- a\n- b\n')
  expect(sections.map(({ id, heading, text }) => [id, heading, text.trim()])).toEqual([
    ['', 'One', 'First code.'],
    ['two', 'Two', 'a b'],
  ])
})

test('a picture leads to its file, loads when it is near, and has its size', () => {
  const { html, markdown } = render('# One\n\n![The list of "payments"](screens/payments)\n')
  const image = 'alt="The list of &quot;payments&quot;" width="1440" height="900" loading="lazy" decoding="async"'
  const address = '/screens/payments.png'
  expect(html).toContain(`<a class="picture" href="${address}"><picture><img src="${address}" ${image}></picture></a>`)
  expect(markdown).toContain(`![The list of "payments"](${address})`)
})

test('a picture without a text is refused', () => {
  expect(() => render('# One\n\n![](screens/payments)\n')).toThrow('has no text for readers who do not see it')
})
