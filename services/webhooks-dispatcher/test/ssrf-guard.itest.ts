import { isIP } from 'node:net'
import { rejectedUrls } from '@cobro/testing/rejected-urls'
import { openWebhookClient } from '../src/sending/post-webhook.ts'

const publicAddress = '93.184.215.14'
/** The successive DNS answers for each hostname. The last one repeats. */
const answers = new Map<string, string[][]>()
const lookups: string[] = []

const client = openWebhookClient(60_000, async name => {
  lookups.push(name)
  const given = answers.get(name) ?? []
  return (given.length > 1 ? given.shift() : given[0]) ?? []
})
afterAll(() => client.close())

const post = (url: string) => client.post(url, {}, Buffer.from('{}'))
const blocked = { status_code: null, error: 'address_refused', response_body: null }
const addresses = [
  ...new Set(rejectedUrls.map(([, url]) => new URL(url).hostname.replace(/^\[|\]$/g, '')).filter(host => isIP(host))),
]

test.each(rejectedUrls)('the SSRF guard opens no connection to %s', async (_case, url) => {
  expect(await post(url)).toMatchObject(blocked)
  expect(lookups).toEqual([])
})

test.each(addresses)(
  'the SSRF guard blocks a hostname that resolves to %s, alone or beside a public address',
  async address => {
    answers.set('shop.example', [[address], [publicAddress, address], [address, publicAddress]])
    for (let i = 0; i < 3; i++) expect(await post('https://shop.example/hooks')).toMatchObject(blocked)
    lookups.length = 0
  },
)

test('the SSRF guard resolves and checks the hostname for each connection', async () => {
  answers.set('rebind.example', [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['169.254.169.254']])
  for (let i = 0; i < 4; i++) expect(await post('http://rebind.example/')).toMatchObject(blocked)
  expect(lookups).toEqual(Array(4).fill('rebind.example'))
})

test.each([22, 25, 5432, 5672, 6379, 15672])('the SSRF guard blocks port %d, whatever URL was saved', async port => {
  answers.set('shop.example', [[publicAddress]])
  expect(await post(`http://shop.example:${port}/`)).toMatchObject(blocked)
  expect(await post(`http://${publicAddress}:${port}/`)).toMatchObject(blocked)
})

test('the SSRF guard blocks a hostname whose DNS answer is not an address', async () => {
  answers.set('shop.example', [['not an address'], ['']])
  for (let i = 0; i < 2; i++) expect(await post('http://shop.example/')).toMatchObject(blocked)
})
