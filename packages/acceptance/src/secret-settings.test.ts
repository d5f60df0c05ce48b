import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { format, inspect } from 'node:util'
import { brokerUrls, databaseUrls, loadSecrets, serviceSettings, stackServiceNames } from '@cobro/local-stack'
import { containsSecret, passwordsOf, secretTexts } from './secret-texts.ts'

const administrator = 'postgres://postgres:the-administrator-s-own@127.0.0.1:5432/postgres'
const brokerPassword = 'the-password-of-the-broker'

test.each(stackServiceNames)('prints no secret setting of %s', async name => {
  const dir = await mkdtemp(join(tmpdir(), 'cobro-settings-'))
  const secrets = await loadSecrets(dir)
  await rm(dir, { recursive: true })
  const database = databaseUrls(administrator, 'cobro')
  const broker = brokerUrls(`amqp://cobro:${brokerPassword}@127.0.0.1:5672`, 'cobro')
  const ports = Object.fromEntries(stackServiceNames.map((service, at) => [service, 4_000 + at])) as Record<
    (typeof stackServiceNames)[number],
    number
  >
  const environment = serviceSettings(name, { dir, secrets, ports, database, broker, namespace: 'cobro' })
  const addresses = Object.values(environment).filter(value => URL.canParse(value))
  const its = [...secretTexts(secrets), ...passwordsOf(addresses)].filter(([, text]) =>
    Object.values(environment).some(value => value.includes(text)),
  )
  expect(its.length).toBeGreaterThan(1)

  const { settings } = await import(`../../../services/${name}/src/config.ts`)
  const config = settings.parse(environment)
  const shown = {
    json: JSON.stringify(config),
    inspect: inspect(config, { depth: null, showHidden: true, getters: true, maxStringLength: null }),
    format: format('%s %o %O %j', config, config, config, config),
    texts: Object.values(config).flat().map(String).join('\n'),
    errors: inspect(Object.assign(new Error('not usable', { cause: config }), { config }), { depth: null }),
  }
  for (const [how, text] of Object.entries(shown)) {
    expect([how, text.includes('[secret]')]).toEqual([how, true])
    expect([how, its.filter(([, secret]) => containsSecret(text, secret)).map(([where]) => where)]).toEqual([how, []])
  }
})
