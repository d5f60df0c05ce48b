import { setTimeout as pause } from 'node:timers/promises'
import { openResolver, type ResolveName } from '../src/sending/resolve-name.ts'
import { checkUrl } from '../src/webhooks/check-url.ts'
import { type Said, startNameServer } from './name-server.ts'

const v4 = '93.184.215.14'
const v6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'
const said: Record<string, Record<4 | 6, Said>> = {
  'both.example': { 4: [v4], 6: [v6] },
  'four.example': { 4: [v4], 6: 'none' },
  'mute-six.example': { 4: [v4], 6: 'silence' },
  'mute-four.example': { 4: 'silence', 6: [v6] },
  'inside.example': { 4: ['127.0.0.1'], 6: 'silence' },
  'late-six.example': { 4: 'none', 6: [v6] },
  'none.example': { 4: 'none', 6: 'none' },
}

let servers: Awaited<ReturnType<typeof startNameServer>>[]
let resolve: ResolveName
beforeAll(async () => {
  const start = () =>
    startNameServer(async (name, family) => {
      if (name === 'late-six.example' && family === 6) await pause(400)
      return said[name]?.[family] ?? 'none'
    })
  servers = [await start(), await start()]
  resolve = openResolver(servers.map(server => server.address))
})
afterAll(() => {
  for (const server of servers) server.stop()
})

test.each([
  ['both.example', [v4, v6]],
  ['four.example', [v4]],
  ['late-six.example', [v6]],
])('%s has the addresses of the families that it has', async (name, addresses) => {
  expect((await resolve(name)).sort()).toEqual(addresses.sort())
})

test.each([
  ['mute-six.example', [v4]],
  ['mute-four.example', [v6]],
])(
  '%s, of which two name servers say but half, is given with that half while there is time to connect',
  async (name, addresses) => {
    const startedAt = performance.now()
    expect(await resolve(name)).toEqual(addresses)
    expect(performance.now() - startedAt).toBeLessThan(1_500)
  },
)

test('a name that no family has is none', async () => {
  await expect(resolve('none.example')).rejects.toThrow('none.example has no address')
})

test('a name that leads inside is refused when it is saved, whatever its servers keep to themselves', async () => {
  const rules = { httpsOnly: true, allowPrivate: false }
  await expect(checkUrl({ rules, resolve }, 'https://inside.example/')).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await checkUrl({ rules, resolve }, 'https://mute-six.example/')
})
