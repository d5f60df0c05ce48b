import { isIP } from 'node:net'
import { openPoster } from '../src/sending/post-webhook.ts'
import { refusedUrls } from './refused-urls.ts'

const publicAddress = '93.184.215.14'
/** What each name resolves to in turn; the last answer stays. */
const answers = new Map<string, string[][]>()
const asked: string[] = []

const poster = openPoster({
  timeoutMs: 1_000,
  resolve: async name => {
    asked.push(name)
    const given = answers.get(name) ?? []
    return (given.length > 1 ? given.shift() : given[0]) ?? []
  },
})
afterAll(() => poster.close())

const post = (url: string) => poster.post(url, {}, Buffer.from('{}'))
const refused = { status_code: null, error: 'address_refused', response_body: null }
const addresses = [
  ...new Set(refusedUrls.map(([, url]) => new URL(url).hostname.replace(/^\[|\]$/g, '')).filter(host => isIP(host))),
]

test.each(refusedUrls)('nothing is connected to %s', async (_what, url) => {
  expect(await post(url)).toMatchObject(refused)
  expect(asked).toEqual([])
})

test.each(addresses)('a name that resolves to %s is refused, alone or beside a public address', async address => {
  answers.set('shop.example', [[address], [publicAddress, address], [address, publicAddress]])
  for (let i = 0; i < 3; i++) expect(await post('https://shop.example/hooks')).toMatchObject(refused)
  asked.length = 0
})

test('a name is resolved anew for each connection, and judged by what that says', async () => {
  answers.set('rebind.example', [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['169.254.169.254']])
  for (let i = 0; i < 4; i++) expect(await post('http://rebind.example/')).toMatchObject(refused)
  expect(asked).toEqual(Array(4).fill('rebind.example'))
})

test.each([22, 25, 5432, 5672, 6379, 15672])('port %d is not connected to, whatever was saved', async port => {
  answers.set('shop.example', [[publicAddress]])
  expect(await post(`http://shop.example:${port}/`)).toMatchObject(refused)
  expect(await post(`http://${publicAddress}:${port}/`)).toMatchObject(refused)
})

test('a name with no address, or with what is none, is not connected to', async () => {
  answers.set('shop.example', [['not an address'], ['']])
  for (let i = 0; i < 2; i++) expect(await post('http://shop.example/')).toMatchObject(refused)
})
