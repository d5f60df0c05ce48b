import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changeProfile, configPath, readConfig } from './config-file.ts'
import { profileOf } from './connect.ts'
import { withLock } from './file-lock.ts'

const names = ['XDG_CONFIG_HOME', 'COBRO_API_KEY', 'COBRO_BASE_URL', 'COBRO_PROFILE'] as const
const before = Object.fromEntries(names.map(name => [name, process.env[name]]))
const directory = process.cwd()
beforeEach(() => {
  for (const name of names) delete process.env[name]
  process.env.XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), 'cobro-config-'))
})
afterAll(() => {
  for (const name of names) if (before[name] !== undefined) process.env[name] = before[name]
})

const session = { token: 'jwt', refreshToken: 'vrt_1', expiresAtMs: 0 }
const store = (text: string) => {
  mkdirSync(join(configPath(), '..'), { recursive: true })
  writeFileSync(configPath(), text, { mode: 0o600 })
}

test('changes side by side are all kept, in a file that only its user can read', async () => {
  const fields = ['api_key', 'webhook_secret', 'merchant_id'] as const
  await Promise.all(fields.map(field => changeProfile('shop', 'https://pay.example', { [field]: field })))
  const profile = { api_key: 'api_key', webhook_secret: 'webhook_secret', merchant_id: 'merchant_id' }
  expect(readConfig().profiles.shop).toEqual({ base_url: 'https://pay.example', ...profile })
  expect(statSync(configPath()).mode & 0o777).toBe(0o600)
})

test('a configuration that cannot be read is an error without its text, and is not replaced', async () => {
  store('profiles:\n  a:\n    api_key: vk_live_SECRET\n   b: 1\n')
  expect(() => readConfig()).toThrow('is not valid YAML')
  expect(() => readConfig()).not.toThrow('SECRET')
  await expect(changeProfile('a', 'https://pay.example', {})).rejects.toThrow('YAML')
  expect(readFileSync(configPath(), 'utf8')).toContain('SECRET')
  store('profiles:\n')
  expect(readConfig()).toEqual({ profiles: {} })
  chmodSync(configPath(), 0o644)
  expect(() => readConfig()).toThrow('Others can read')
})

test('a credential goes to the deployment of its profile alone', () => {
  const shop = { base_url: 'https://pay.example', session }
  store(JSON.stringify({ current: 'shop', profiles: { shop, local: { ...shop, webhook_secret: 'whsec_1' } } }))
  expect(profileOf({}).profile).toEqual(shop)
  expect(() => profileOf({ baseUrl: 'https://evil.example' })).toThrow('another deployment')
  const checkout = mkdtempSync(join(tmpdir(), 'cobro-checkout-'))
  mkdirSync(join(checkout, '.cobro'))
  const running = { base_url: 'http://127.0.0.1:1', api_key: 'vk_test_1' }
  writeFileSync(join(checkout, '.cobro', 'stack.json'), JSON.stringify(running))
  expect(profileOf({ profile: 'local' }, checkout).profile).toEqual({ ...running, webhook_secret: 'whsec_1' })
  expect(process.cwd()).toBe(directory)
})

test('the key of the environment is used with its deployment, instead of a session', () => {
  store(JSON.stringify({ current: 'shop', profiles: { shop: { base_url: 'https://pay.example', session } } }))
  process.env.COBRO_API_KEY = 'vk_test_env'
  process.env.COBRO_BASE_URL = 'https://other.example'
  expect(profileOf({}).profile).toEqual({ base_url: 'https://other.example', api_key: 'vk_test_env' })
})

test('work under a lock does not overlap, and the lock of a killed command does not stay', async () => {
  const path = join(String(process.env.XDG_CONFIG_HOME), 'lock')
  let running = 0
  const work = async () => {
    expect(++running).toBe(1)
    await new Promise(resolve => setTimeout(resolve, 10))
    running--
  }
  await Promise.all(Array.from({ length: 5 }, () => withLock(path, work)))
  writeFileSync(path, '')
  utimesSync(path, 0, 0)
  await withLock(path, work)
})
