import { allHistories, type Exception, lintMigrations } from './lint-migrations.ts'
import { migrationExceptions } from './migration-exceptions.ts'

test('no migration of a service locks or breaks its running release', async () => {
  expect(await lintMigrations(await allHistories(), migrationExceptions)).toEqual([])
})

test('every service that has a schema is looked at, each of its migrations once', async () => {
  const histories = await allHistories()
  expect(histories.map(({ service }) => service)).toEqual([
    'acquirer-sandbox',
    'audit-log',
    'checkout',
    'gateway',
    'transactions',
    'webhooks-dispatcher',
  ])
  for (const { migrations } of histories) {
    const names = migrations.map(({ name }) => name)
    expect(names.map(name => name.slice(0, 5))).toEqual(
      names.map((_name, place) => `${String(place + 1).padStart(4, '0')}-`),
    )
  }
})

const histories = [
  {
    service: 'shop',
    migrations: [
      { name: '0001-shop', statements: ['create table orders (id text)'], transactional: true },
      { name: '0002-drop', statements: ['drop table orders; drop table carts'], transactional: true },
    ],
  },
]
const exception: Exception = { migration: 'shop/0002-drop', rules: ['drop'], because: 'Nothing uses them since 0.2.' }

test('a breach is told with its migration, its statement and what to do instead', async () => {
  const [fault, ...others] = await lintMigrations(histories, [])
  expect(fault).toMatch(/^shop\/0002-drop: drop: drop table orders\n {2}Stop using it in one release/)
  expect(others).toEqual([expect.stringContaining('shop/0002-drop: drop: drop table carts')])
})

test('an exception excuses its migration from its rule, and no other', async () => {
  expect(await lintMigrations(histories, [exception])).toEqual([])
  const others: Exception[] = [
    { ...exception, migration: 'shop/0001-shop' },
    { ...exception, migration: 'bakery/0002-drop' },
    { ...exception, rules: ['rename'] },
  ]
  for (const other of others) {
    const faults = await lintMigrations(histories, [other])
    expect(faults).toHaveLength(3)
    expect(faults.at(-1)).toBe(`${other.migration}: ${other.rules}: the exception excuses nothing`)
  }
})

test('an exception that is made twice, or that no longer fits, is a fault', async () => {
  const idle = 'the exception excuses nothing'
  expect(await lintMigrations(histories, [exception, exception])).toEqual([`shop/0002-drop: drop: ${idle}`])
  expect(await lintMigrations(histories, [{ ...exception, rules: ['drop', 'truncate'] }])).toEqual([
    `shop/0002-drop: truncate: ${idle}`,
  ])
})
