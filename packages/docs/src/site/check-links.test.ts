import type { RenderedPage } from '../markdown/render-markdown.ts'
import { checkLinks } from './check-links.ts'

const pages = (links: string[]) => {
  const page = { links, headings: [{ level: 2, id: 'in-full', text: 'In full' }] }
  return new Map([
    ['', page as unknown as RenderedPage],
    ['guides/refunds', page as unknown as RenderedPage],
  ])
}

test('links to pages, headings, downloads and other hosts lead somewhere', () => {
  const links = ['/docs', '/docs/guides/refunds', '/docs/guides/refunds#in-full', '#in-full', '/docs/api/try']
  expect(() => checkLinks(pages([...links, 'https://example.com', '/openapi.json']), ['api/try'])).not.toThrow()
})

test.each([
  '/docs/none',
  '/docs/guides/refunds#none',
  '#none',
  'refunds.md',
  '/docs/',
  'http://example.com',
  '/elsewhere',
])('the link %s leads nowhere', link => {
  expect(() => checkLinks(pages([link]), [])).toThrow(`guides/refunds: ${link}`)
})
