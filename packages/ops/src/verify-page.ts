import { differenceOf, type PageFile, readPageInventory } from '@cobro/hosted-page/page-inventory'
import { pageSecurityHeaders } from '@cobro/hosted-page/page-security-headers'
import { CommandError } from './command-error.ts'
import { readArguments } from './read-arguments.ts'
import { UsageError } from './usage-error.ts'

/** `page verify <url> [--logo <origin>]`: compares what a payer's browser gets with the build. Exits with 1 if it differs. */
export function verifyPage(args: string[]) {
  const { positionals, values } = readArguments(args, { logo: { type: 'string' } }, 1)
  const url = URL.parse(positionals[0] ?? '')
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('Give the address of a page, or the origin of the pages, such as https://pay.example.com.')
  return async () => {
    const { files } = readInventory()
    const problems = (await Promise.all(files.map(file => problemsOf({ url, logoUrl: values.logo }, file)))).flat()
    for (const problem of problems) process.stderr.write(`${problem}\n`)
    if (problems.length > 0) return 1
    process.stdout.write(`${url.href} and its ${files.length - 1} files are those of this build.\n`)
    return 0
  }
}

function readInventory() {
  try {
    return readPageInventory()
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

interface CheckedPage {
  url: URL
  /** The merchant's logo, whose origin the policy of a page may name. */
  logoUrl: string | undefined
}

/** Returns what is wrong with a file, as a payer's browser gets it. */
async function problemsOf({ url, logoUrl }: CheckedPage, file: PageFile): Promise<string[]> {
  const isPage = file.type === 'page'
  // The page of an unknown session is the same file, with the status 404.
  const isUnknown = isPage && url.pathname === '/'
  const address = isPage ? new URL(isUnknown ? '/checkout/verify' : url, url) : new URL(`/hosted/${file.path}`, url)
  try {
    const response = await fetch(address, {
      headers: browserHeaders,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const expected = isUnknown ? 404 : 200
    if (response.status !== expected)
      return [`${address.href}: expected the status ${expected}, got ${response.status}`]
    const difference = differenceOf(file, new Uint8Array(await response.arrayBuffer()))
    const headers = isPage ? pageHeaderProblems(response, { url, logoUrl }) : assetHeaderProblems(response, file)
    return [...(difference ? [difference] : []), ...headers].map(problem => `${address.href}: ${problem}`)
  } catch (error) {
    const { message, cause } = error as Error
    return [`${address.href}: ${cause instanceof Error ? cause.message : message}`]
  }
}

const timeoutMs = 30_000

/** A skimmer may leave programs alone, so the request looks like that of a browser. */
const browserHeaders = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-language': 'es-MX,es;q=0.9',
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
}

/** Headers that have browsers load or open something else. */
const unexpectedHeaders = ['link', 'refresh']

function pageHeaderProblems(response: Response, { url, logoUrl }: CheckedPage): string[] {
  const expected = pageSecurityHeaders({ logoUrl, secure: url.protocol === 'https:' })
  return [
    ...headerProblems(response, expected),
    ...unexpectedHeaders
      .filter(name => response.headers.has(name))
      .map(name => `expected no ${name}, got ${response.headers.get(name)}`),
  ]
}

const assetTypes: Record<string, string> = {
  script: 'text/javascript; charset=utf-8',
  style: 'text/css; charset=utf-8',
  image: 'image/svg+xml',
}

const assetHeaderProblems = (response: Response, { type }: PageFile) =>
  headerProblems(response, { 'Content-Type': assetTypes[type] ?? '', 'X-Content-Type-Options': 'nosniff' })

const headerProblems = (response: Response, expected: Record<string, string>) =>
  Object.entries(expected)
    .filter(([name, value]) => response.headers.get(name) !== value)
    .map(([name, value]) => `${name} is ${response.headers.get(name) ?? 'missing'}, expected ${value}`)
