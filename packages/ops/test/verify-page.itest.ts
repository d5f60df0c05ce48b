import { execFile } from 'node:child_process'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readBuiltPage } from '@cobro/hosted-page/page-inventory'
import { pageSecurityHeaders } from '@cobro/hosted-page/page-security-headers'
import { programEnv } from '@cobro/testing'

const built = readBuiltPage()
const script = `/hosted/${built.find(({ type }) => type === 'script')?.path}`
const types = { page: '', script: 'text/javascript', style: 'text/css', image: 'image/svg+xml' }

/** What the site of a test does differently; it returns true for a call that it has answered. */
type Change = (path: string, response: ServerResponse) => boolean | undefined

let change: Change
let logoUrl: string | undefined
const asBuilt: RequestListener = ({ url = '', headers }, response) => {
  if (!headers['user-agent']?.startsWith('Mozilla/')) return response.writeHead(403).end()
  const file = built.find(({ path }) => `/hosted/${path}` === url) ?? built.find(({ type }) => type === 'page')
  if (!file) return response.writeHead(404).end()
  if (file.type === 'page') {
    response.statusCode = url === '/checkout/cs_1' ? 200 : 404
    response.setHeaders(new Map(Object.entries(pageSecurityHeaders({ logoUrl, secure: false }))))
  } else {
    response.setHeader('content-type', `${types[file.type]}${file.type === 'image' ? '' : '; charset=utf-8'}`)
    response.setHeader('x-content-type-options', 'nosniff')
  }
  if (!change(url, response)) response.end(file.content)
}
const server = createServer(asBuilt)
let origin: string
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise(resolve => server.close(resolve)))
beforeEach(() => {
  change = () => false
  logoUrl = undefined
})

/** Runs the command as an operator does. */
function verify(...args: string[]) {
  const program = join(import.meta.dirname, '..', 'src', 'main.ts')
  const line = ['--conditions=cobro-source', program, 'page', 'verify', ...args]
  return promisify(execFile)(process.execPath, line, { env: programEnv() }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

test('finds that a page and its files are those of the build', async () => {
  const stdout = (url: string) => `${url} and its ${built.length - 1} files are those of this build.\n`
  expect(await verify(origin)).toEqual({ code: 0, stdout: stdout(`${origin}/`), stderr: '' })
  const page = `${origin}/checkout/cs_1`
  expect(await verify(page)).toEqual({ code: 0, stdout: stdout(page), stderr: '' })
})

const ofPage =
  (set: (response: ServerResponse) => unknown): Change =>
  (path, response) => {
    if (!path.startsWith('/hosted/')) set(response)
    return false
  }

test.each<[string, Change, string]>([
  [
    'a script with other content',
    (path, response) => path === script && Boolean(response.end('steal()')),
    'index-.*js has 7 bytes with sha384-.*, expected \\d+ bytes with sha384-',
  ],
  [
    'a script that is missing',
    (path, response) => path === script && Boolean(response.writeHead(404).end()),
    'expected the status 200, got 404',
  ],
  [
    'a page with a further script',
    (path, response) => path === '/checkout/verify' && Boolean(response.end('<script src="https://evil.example">')),
    'index.html has 35 bytes',
  ],
  [
    'a redirect to another page',
    ofPage(response => {
      response.statusCode = 302
      response.setHeader('location', 'https://evil.example/')
    }),
    'expected the status 404, got 302',
  ],
  [
    'a weaker policy',
    ofPage(response => response.setHeader('content-security-policy', "script-src 'self' 'unsafe-inline'")),
    "Content-Security-Policy is script-src 'self' 'unsafe-inline', expected default-src 'none'",
  ],
  [
    'a policy that allows images of an origin',
    ofPage(response =>
      response.setHeaders(
        new Map(Object.entries(pageSecurityHeaders({ logoUrl: 'https://evil.example', secure: false }))),
      ),
    ),
    "Content-Security-Policy is .*img-src 'self' https://evil.example;.*, expected ",
  ],
  [
    'no policy',
    ofPage(response => response.removeHeader('content-security-policy')),
    'Content-Security-Policy is missing',
  ],
  [
    'a header that opens another page',
    ofPage(response => response.setHeader('refresh', '0; url=https://evil.example')),
    'expected no refresh, got 0; url=https://evil.example',
  ],
  [
    'a script of another type',
    (path, response) => {
      if (path === script) response.setHeader('content-type', 'text/plain')
      return false
    },
    'Content-Type is text/plain, expected text/javascript',
  ],
  [
    'a broken connection',
    (path, response) => path === script && Boolean(response.destroy()),
    `${script}: other side closed`,
  ],
])('reports %s and exits with 1', async (_what, changed, message) => {
  change = changed
  const { code, stdout, stderr } = await verify(origin)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(new RegExp(message))
})

test('accepts the origin of a logo only if the operator names it', async () => {
  logoUrl = 'https://cdn.shop.mx/logo.png'
  const page = `${origin}/checkout/cs_1`
  expect((await verify(page)).code).toBe(1)
  expect((await verify(page, '--logo', 'https://cdn.shop.mx')).code).toBe(0)
})

test('reports a server that does not answer', async () => {
  const { code, stderr } = await verify('http://127.0.0.1:9')
  expect([code, stderr.split('\n').length]).toEqual([1, built.length + 1])
})
